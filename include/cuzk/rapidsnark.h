/* The C interface of rapidsnark (prover.h, verifier.h), served by libcuzk: same symbols, codes and buffer rules, so
 * that a program written for rapidsnark links against libcuzk unchanged. Differences, all towards safety: BLS12-381
 * keys work too, keys and witnesses are checked, a proof is verified before it is returned, an empty public list is
 * `[]`, lengths are exact, and the file form keeps its file mapped for as long as the object lives.
 *
 * Sizes are in bytes. On PROVER_ERROR and PROVER_INVALID_WITNESS_LENGTH, error_msg (when not NULL and error_msg_maxsize
 * > 0) holds a NUL-terminated text, cut to fit. On PROVER_ERROR_SHORT_BUFFER nothing is written and the sizes are
 * updated to what suffices, with the NUL: proofs of one statement differ in length, so the size of the proof is that of
 * the longest. Thread-safety: all functions; one object may prove from several threads at once.
 */
#ifndef CUZK_RAPIDSNARK_H
#define CUZK_RAPIDSNARK_H

#include "cuzk/cuzk.h"

#define PROVER_OK 0x0
#define PROVER_ERROR 0x1
#define PROVER_ERROR_SHORT_BUFFER 0x2
#define PROVER_INVALID_WITNESS_LENGTH 0x3

#define VERIFIER_VALID_PROOF 0x0
#define VERIFIER_INVALID_PROOF 0x1
#define VERIFIER_ERROR 0x2

#ifdef __cplusplus
extern "C" {
#endif

/* Capacity that the public inputs' JSON of this key needs at most. */
CUZK_API int groth16_public_size_for_zkey_buf(const void* zkey_buffer, unsigned long long zkey_size,
                                              unsigned long long* public_size, char* error_msg,
                                              unsigned long long error_msg_maxsize);
CUZK_API int groth16_public_size_for_zkey_file(const char* zkey_fname, unsigned long long* public_size, char* error_msg,
                                               unsigned long long error_msg_maxsize);
/* Capacity that a proof's JSON needs at most, on either curve. */
CUZK_API void groth16_proof_size(unsigned long long* proof_size);

/* The buffer must outlive the object. */
CUZK_API int groth16_prover_create(void** prover_object, const void* zkey_buffer, unsigned long long zkey_size,
                                   char* error_msg, unsigned long long error_msg_maxsize);
CUZK_API int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path, char* error_msg,
                                             unsigned long long error_msg_maxsize);
/* *proof_size and *public_size: capacity in, bytes without the NUL out. */
CUZK_API int groth16_prover_prove(void* prover_object, const void* wtns_buffer, unsigned long long wtns_size,
                                  char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                                  unsigned long long* public_size, char* error_msg,
                                  unsigned long long error_msg_maxsize);
CUZK_API void groth16_prover_destroy(void* prover_object);

/* create, prove, destroy */
CUZK_API int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size, const void* wtns_buffer,
                            unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                            char* public_buffer, unsigned long long* public_size, char* error_msg,
                            unsigned long long error_msg_maxsize);
CUZK_API int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer, unsigned long long wtns_size,
                                      char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                                      unsigned long long* public_size, char* error_msg,
                                      unsigned long long error_msg_maxsize);

CUZK_API int groth16_verify(const char* proof, const char* inputs, const char* verification_key, char* error_msg,
                            unsigned long error_msg_maxsize);

#ifdef __cplusplus
}
#endif
#endif
