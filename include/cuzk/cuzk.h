/* cuzk: Groth16 proving and verification, the C interface of libcuzk.
 *
 * A prover holds one proving key (.zkey of BN254 or BLS12-381, mapped from a file or lying in the caller's memory) and
 * proves any number of witnesses (.wtns). Proofs and public inputs are snarkjs JSON. Every proof is verified before it
 * is returned.
 *
 * Errors: functions return a cuzk_code; when it is not CUZK_OK and `error` is not NULL, *error receives a description
 * that the caller frees with cuzk_error_free. Outputs are untouched on failure. No C++ exception crosses this
 * interface. Thread-safety: every function may be called from any thread, also on one prover at the same time; only the
 * free functions need their object to themselves. Strings returned are NUL-terminated UTF-8; `length` does not count
 * the NUL.
 */
#ifndef CUZK_CUZK_H
#define CUZK_CUZK_H

#include <stddef.h>
#include <stdint.h>

#if defined(CUZK_BUILDING_LIBRARY)
#define CUZK_API __attribute__((visibility("default")))
#else
#define CUZK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cuzk_code {
  CUZK_OK = 0,
  CUZK_INVALID_ARGUMENT = 1, /* the call is wrong: a null pointer, an unknown flag */
  CUZK_MALFORMED = 2,        /* bytes violate their format; the error names file, section and offset */
  CUZK_UNSUPPORTED = 3,      /* well-formed, but nothing this library handles */
  CUZK_NOT_FOUND = 4,
  CUZK_EXHAUSTED = 5, /* memory, address space, disk */
  CUZK_CANCELLED = 6,
  CUZK_DEADLINE = 7,
  CUZK_UNAVAILABLE = 8,
  CUZK_DEVICE = 9,
  CUZK_CONFLICT = 10,
  CUZK_UNSATISFIED = 11, /* the witness does not satisfy the circuit, or the proof does not verify */
  CUZK_INTERNAL = 12
} cuzk_code;

typedef struct cuzk_error cuzk_error;
typedef struct cuzk_prover cuzk_prover;

/* A string owned by the library's caller; free with cuzk_string_free. {NULL, 0} is empty. */
typedef struct cuzk_string {
  char* data;
  size_t length;
} cuzk_string;

typedef struct cuzk_options {
  uint32_t size;              /* sizeof(cuzk_options), set by CUZK_OPTIONS_INIT */
  uint32_t threads;           /* at most CUZK_MAX_THREADS; 0: all hardware threads */
  int32_t allow_insecure_key; /* non-zero: accept a key without phase-2 contribution (proofs under it prove nothing) */
  int32_t check_points;       /* non-zero: check every point of the key (curve and subgroup) when it is opened */
} cuzk_options;

#define CUZK_MAX_THREADS 4096u
#define CUZK_OPTIONS_INIT {sizeof(cuzk_options), 0u, 0, 0}

/* "0.1.0" */
CUZK_API const char* cuzk_version(void);
/* "malformed", ... */
CUZK_API const char* cuzk_code_name(cuzk_code code);

/* One line with all that is known. Valid until the error is freed. */
CUZK_API const char* cuzk_error_message(const cuzk_error* error);
CUZK_API cuzk_code cuzk_error_code(const cuzk_error* error);
/* The exact fault of malformed bytes ("truncated", "not_on_curve", ...); "" where there is none. */
CUZK_API const char* cuzk_error_kind(const cuzk_error* error);
CUZK_API void cuzk_error_free(cuzk_error* error);
CUZK_API void cuzk_string_free(cuzk_string* string);

/* Opens a key from a file. The file stays mapped until the prover is freed and must not be truncated meanwhile.
 * `options` may be NULL. */
CUZK_API cuzk_code cuzk_prover_open_file(const char* zkey_path, const cuzk_options* options, cuzk_prover** prover,
                                         cuzk_error** error);
/* Opens a key that lies in memory; no copy is made: the bytes must stay as they are until the prover is freed. */
CUZK_API cuzk_code cuzk_prover_open_buffer(const void* zkey, size_t zkey_bytes, const cuzk_options* options,
                                           cuzk_prover** prover, cuzk_error** error);
CUZK_API void cuzk_prover_free(cuzk_prover* prover);

/* "bn254" or "bls12-381" */
CUZK_API const char* cuzk_prover_curve(const cuzk_prover* prover);
CUZK_API uint64_t cuzk_prover_num_public(const cuzk_prover* prover);
CUZK_API uint64_t cuzk_prover_num_variables(const cuzk_prover* prover);

/* Proves a witness given as the bytes of a .wtns file. Any of the output strings may be NULL. */
CUZK_API cuzk_code cuzk_prover_prove(const cuzk_prover* prover, const void* wtns, size_t wtns_bytes,
                                     cuzk_string* proof_json, cuzk_string* public_json, cuzk_error** error);
/* The key's snarkjs verification_key.json. */
CUZK_API cuzk_code cuzk_prover_verification_key(const cuzk_prover* prover, cuzk_string* vkey_json, cuzk_error** error);

/* CUZK_OK when the proof verifies, CUZK_UNSATISFIED when it does not, anything else when the input is not a statement.
 */
CUZK_API cuzk_code cuzk_verify(const char* vkey_json, size_t vkey_length, const char* public_json, size_t public_length,
                               const char* proof_json, size_t proof_length, cuzk_error** error);

#ifdef __cplusplus
}
#endif
#endif
