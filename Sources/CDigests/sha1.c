#include "compression.h"

void cdigests_sha1_blocks(uint32_t words[5], const uint8_t *bytes, size_t blocks) {
    uint32_t schedule[80];
    for (; blocks > 0; blocks--, bytes += 64) {
        for (int t = 0; t < 16; t++) schedule[t] = load32(bytes + 4 * t);
        for (int t = 16; t < 80; t++) {
            schedule[t] = rotate_left32(
                schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
        }
        uint32_t a = words[0], b = words[1], c = words[2], d = words[3], e = words[4];
        for (int t = 0; t < 80; t++) {
            uint32_t mixed;
            if (t < 20) {
                mixed = ((b & c) | (~b & d)) + 0x5a827999;
            } else if (t < 40) {
                mixed = (b ^ c ^ d) + 0x6ed9eba1;
            } else if (t < 60) {
                mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
            } else {
                mixed = (b ^ c ^ d) + 0xca62c1d6;
            }
            const uint32_t next = rotate_left32(a, 5) + mixed + e + schedule[t];
            e = d;
            d = c;
            c = rotate_left32(b, 30);
            b = a;
            a = next;
        }
        words[0] += a;
        words[1] += b;
        words[2] += c;
        words[3] += d;
        words[4] += e;
    }
}
