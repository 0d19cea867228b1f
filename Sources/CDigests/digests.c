#include "digests.h"

#include <string.h>

#include "compression.h"

// The first words of each function (FIPS 180-4, section 5.3).
static const uint32_t sha1_start[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};
static const uint32_t sha256_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint64_t sha512_start[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static size_t block_size(const cdigests_state *state) {
    return state->function == cdigests_sha512 ? 128 : 64;
}

static void compress(cdigests_state *state, const uint8_t *bytes, size_t blocks) {
    switch (state->function) {
    case cdigests_sha1: cdigests_sha1_blocks(state->words.of32, bytes, blocks); break;
    case cdigests_sha256: cdigests_sha256_blocks(state->words.of32, bytes, blocks); break;
    case cdigests_sha512: cdigests_sha512_blocks(state->words.of64, bytes, blocks); break;
    }
}

void cdigests_begin(cdigests_state *state, cdigests_function function) {
    memset(state, 0, sizeof *state);
    state->function = function;
    switch (function) {
    case cdigests_sha1: memcpy(state->words.of32, sha1_start, sizeof sha1_start); break;
    case cdigests_sha256: memcpy(state->words.of32, sha256_start, sizeof sha256_start); break;
    case cdigests_sha512: memcpy(state->words.of64, sha512_start, sizeof sha512_start); break;
    }
}

void cdigests_add(cdigests_state *state, const void *bytes, size_t count) {
    if (count == 0) return;
    const uint8_t *rest = bytes;
    const size_t size = block_size(state);
    const size_t waiting = state->byte_count % size;
    state->byte_count += count;
    if (waiting > 0) {
        const size_t missing = size - waiting;
        const size_t taken = count < missing ? count : missing;
        memcpy(state->block + waiting, rest, taken);
        if (taken < missing) return;
        compress(state, state->block, 1);
        rest += taken;
        count -= taken;
    }
    compress(state, rest, count / size);
    memcpy(state->block, rest + count / size * size, count % size);
}

void cdigests_end(cdigests_state *state, uint8_t *digest) {
    const size_t size = block_size(state);
    // Whole bytes are counted in bits by 16 bytes in SHA-512 and by 8 in the others.
    const size_t length_end = size - 8;
    const size_t length_start = size == 128 ? 112 : 56;
    size_t waiting = state->byte_count % size;
    state->block[waiting++] = 0x80;
    if (waiting > length_start) {
        memset(state->block + waiting, 0, size - waiting);
        compress(state, state->block, 1);
        waiting = 0;
    }
    memset(state->block + waiting, 0, size - waiting);
    // The bits above 2^64 go into the length's upper half.
    if (size == 128) state->block[length_end - 1] = (uint8_t)(state->byte_count >> 61);
    for (size_t place = 0; place < 8; place++) {
        state->block[length_end + place] = (uint8_t)(state->byte_count << 3 >> (56 - 8 * place));
    }
    compress(state, state->block, 1);
    const size_t count = (size_t)state->function;
    if (size == 128) {
        for (size_t place = 0; place < count; place++) {
            digest[place] = (uint8_t)(state->words.of64[place / 8] >> (56 - 8 * (place % 8)));
        }
    } else {
        for (size_t place = 0; place < count; place++) {
            digest[place] = (uint8_t)(state->words.of32[place / 4] >> (24 - 8 * (place % 4)));
        }
    }
}
