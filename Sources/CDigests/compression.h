// What the functions do to whole blocks.
#ifndef CDIGESTS_COMPRESSION_H
#define CDIGESTS_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

void cdigests_sha1_blocks(uint32_t words[5], const uint8_t *bytes, size_t blocks);
void cdigests_sha256_blocks(uint32_t words[8], const uint8_t *bytes, size_t blocks);
void cdigests_sha512_blocks(uint64_t words[8], const uint8_t *bytes, size_t blocks);

static inline uint32_t load32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline uint64_t load64(const uint8_t *bytes) {
    return (uint64_t)load32(bytes) << 32 | load32(bytes + 4);
}

static inline uint32_t rotate_left32(uint32_t word, int count) {
    return word << count | word >> (32 - count);
}

static inline uint32_t rotate_right32(uint32_t word, int count) {
    return word >> count | word << (32 - count);
}

static inline uint64_t rotate_right64(uint64_t word, int count) {
    return word >> count | word << (64 - count);
}

#endif
