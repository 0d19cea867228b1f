// SHA-1, SHA-256, and SHA-512 (FIPS 180-4) over bytes that come in pieces.
//
// They identify contents, and no secret passes through them. SHA-1 is for UUIDs of version 5 alone.
#ifndef CDIGESTS_H
#define CDIGESTS_H

#include <stddef.h>
#include <stdint.h>

/// Which function, by its digest's length in bytes.
typedef enum {
    cdigests_sha1 = 20,
    cdigests_sha256 = 32,
    cdigests_sha512 = 64,
} cdigests_function;

/// What a function keeps between two pieces. A copy is independent of its original.
typedef struct {
    /// SHA-512 has words of 64 bits, the others of 32.
    union {
        uint32_t of32[8];
        uint64_t of64[8];
    } words;
    /// Bytes that do not fill a block yet.
    uint8_t block[128];
    uint64_t byte_count;
    cdigests_function function;
} cdigests_state;

/// Begins a digest of no bytes.
void cdigests_begin(cdigests_state *state, cdigests_function function);

/// Adds bytes.
void cdigests_add(cdigests_state *state, const void *bytes, size_t count);

/// Writes the digest of all bytes, as long as the function's value says. The state is used up.
void cdigests_end(cdigests_state *state, uint8_t *digest);

#endif
