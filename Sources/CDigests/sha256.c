#include "compression.h"

// FIPS 180-4, section 4.2.2.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void portable_blocks(uint32_t words[8], const uint8_t *bytes, size_t blocks) {
    uint32_t schedule[64];
    for (; blocks > 0; blocks--, bytes += 64) {
        for (int t = 0; t < 16; t++) schedule[t] = load32(bytes + 4 * t);
        for (int t = 16; t < 64; t++) {
            const uint32_t x = schedule[t - 15], y = schedule[t - 2];
            schedule[t] = schedule[t - 16] + schedule[t - 7]
                + (rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3)
                + (rotate_right32(y, 17) ^ rotate_right32(y, 19) ^ y >> 10);
        }
        uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
        uint32_t e = words[4], f = words[5], g = words[6], h = words[7];
        for (int t = 0; t < 64; t++) {
            const uint32_t first = h + ((e & f) ^ (~e & g)) + constants[t] + schedule[t]
                + (rotate_right32(e, 6) ^ rotate_right32(e, 11) ^ rotate_right32(e, 25));
            const uint32_t second = ((a & b) ^ (a & c) ^ (b & c))
                + (rotate_right32(a, 2) ^ rotate_right32(a, 13) ^ rotate_right32(a, 22));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        words[0] += a;
        words[1] += b;
        words[2] += c;
        words[3] += d;
        words[4] += e;
        words[5] += f;
        words[6] += g;
        words[7] += h;
    }
}

#if defined(__x86_64__)
// The processor's own instructions take a fifth of the time.
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

__attribute__((target("sha,sse4.1")))
static void x86_blocks(uint32_t words[8], const uint8_t *bytes, size_t blocks) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    // The instructions want the words as ABEF and CDGH, the first in the highest place.
    const __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words + 1), 0x1b);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
    for (; blocks > 0; blocks--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // The last sixteen words of the schedule.
        __m128i schedule[4];
#pragma clang loop unroll(full)
        for (int t = 0; t < 16; t++) {
            __m128i next;
            if (t < 4) {
                next = _mm_shuffle_epi8(
                    _mm_loadu_si128((const __m128i *)bytes + t), big_endian);
            } else {
                const __m128i last = schedule[(t + 3) % 4];
                next = _mm_sha256msg1_epu32(schedule[t % 4], schedule[(t + 1) % 4]);
                next = _mm_add_epi32(next, _mm_alignr_epi8(last, schedule[(t + 2) % 4], 4));
                next = _mm_sha256msg2_epu32(next, last);
            }
            schedule[t % 4] = next;
            const __m128i sum =
                _mm_add_epi32(next, _mm_loadu_si128((const __m128i *)constants + t));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

static int has_instructions(void) {
    // 0: not asked yet.
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        unsigned a, b, c, d, extended_b = 0, extended_c, extended_d;
        const int has_sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3);
        const int has_sha =
            __get_cpuid_count(7, 0, &a, &extended_b, &extended_c, &extended_d)
            && (extended_b & bit_SHA);
        answer = has_sse && has_sha ? 1 : 2;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 1;
}
#endif

void cdigests_sha256_blocks(uint32_t words[8], const uint8_t *bytes, size_t blocks) {
#if defined(__x86_64__)
    if (has_instructions()) return x86_blocks(words, bytes, blocks);
#endif
    portable_blocks(words, bytes, blocks);
}
