/* Proves a witness and verifies the proof, through the C interface of libcuzk.
 *
 *   prove circuit.zkey witness.wtns
 *
 * prints the proof and the public inputs. Exit status: 0, or 1 with a message on standard error. */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/cuzk.h>

static int failed(const char* doing, cuzk_code code, cuzk_error* error) {
  fprintf(stderr, "%s: %s: %s\n", doing, cuzk_code_name(code), cuzk_error_message(error));
  cuzk_error_free(error);
  return 1;
}

/* The whole file, or NULL. */
static void* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  void* data = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) {
      *size = (size_t)end;
      data = malloc(*size + 1);
      if (data != NULL && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
      }
    }
  }
  fclose(file);
  return data;
}

static int prove_and_verify(const cuzk_prover* prover, const void* wtns, size_t wtns_size) {
  cuzk_error* error = NULL;
  cuzk_string proof = {NULL, 0}, public_inputs = {NULL, 0}, vkey = {NULL, 0};

  cuzk_code code = cuzk_prover_prove(prover, wtns, wtns_size, &proof, &public_inputs, &error);
  if (code == CUZK_OK) code = cuzk_prover_verification_key(prover, &vkey, &error);
  if (code == CUZK_OK)
    code =
        cuzk_verify(vkey.data, vkey.length, public_inputs.data, public_inputs.length, proof.data, proof.length, &error);
  if (code == CUZK_OK) printf("proof %s\npublic %s\nverified\n", proof.data, public_inputs.data);

  cuzk_string_free(&vkey);
  cuzk_string_free(&public_inputs);
  cuzk_string_free(&proof);
  return code == CUZK_OK ? 0 : failed("prove", code, error);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s circuit.zkey witness.wtns\n", argv[0]);
    return 1;
  }
  size_t wtns_size = 0;
  void* wtns = read_file(argv[2], &wtns_size);
  if (wtns == NULL) {
    fprintf(stderr, "cannot read %s\n", argv[2]);
    return 1;
  }

  cuzk_prover* prover = NULL;
  cuzk_error* error = NULL;
  const cuzk_code code = cuzk_prover_open_file(argv[1], NULL, &prover, &error);
  int status;
  if (code != CUZK_OK) {
    status = failed("open key", code, error);
  } else {
    printf("cuzk %s, %s, %llu variables, %llu public inputs\n", cuzk_version(), cuzk_prover_curve(prover),
           (unsigned long long)cuzk_prover_num_variables(prover), (unsigned long long)cuzk_prover_num_public(prover));
    status = prove_and_verify(prover, wtns, wtns_size);
  }
  cuzk_prover_free(prover);
  free(wtns);
  return status;
}
