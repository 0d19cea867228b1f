// The best SQL written by hand, straight on SQLite: `reference STORE SQL [count]` prints the number
// of rows, a sum of their values, and the CPU seconds of the query.

#include <sqlite3.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "folded.h"

static std::vector<const char *> folded(0x110000, nullptr);
static const char needle[] = "cafe";
static const size_t needleLength = 4;

static bool contains(const unsigned char *text, size_t length) {
    for (size_t start = 0; start + needleLength <= length; start++) {
        size_t place = 0;
        while (place < needleLength && (text[start + place] | 0x20) == needle[place]) place++;
        if (place == needleLength) return true;
    }
    return false;
}

static bool isAscii(const unsigned char *text, size_t length) {
    uint64_t all = 0;
    size_t place = 0;
    for (; place + 8 <= length; place += 8) {
        uint64_t word;
        memcpy(&word, text + place, 8);
        all |= word;
    }
    for (; place < length; place++) all |= text[place];
    return !(all & 0x8080808080808080ull);
}

// has_cafe(text): whether it contains "cafe", ignoring case and marks.
static void hasCafe(sqlite3_context *context, int, sqlite3_value **values) {
    if (sqlite3_value_type(values[0]) != SQLITE_TEXT) return sqlite3_result_int(context, 0);
    const unsigned char *text = sqlite3_value_text(values[0]);
    size_t length = sqlite3_value_bytes(values[0]);
    if (isAscii(text, length)) return sqlite3_result_int(context, contains(text, length));
    static std::vector<unsigned char> bare;
    bare.resize(length * 4);
    size_t count = 0;
    for (size_t place = 0; place < length;) {
        unsigned byte = text[place];
        if (byte < 0x80) {
            bare[count++] = byte;
            place++;
            continue;
        }
        int width = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
        unsigned code = byte & (0xFF >> (width + 1));
        for (int next = 1; next < width; next++) code = code << 6 | (text[place + next] & 0x3F);
        if (const char *other = folded[code]) {
            while (*other) bare[count++] = *other++;
        } else {
            memcpy(&bare[count], text + place, width);
            count += width;
        }
        place += width;
    }
    sqlite3_result_int(context, contains(bare.data(), count));
}

static double cpuSeconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    sqlite3 *store;
    if (sqlite3_open_v2(argv[1], &store, SQLITE_OPEN_READONLY, nullptr)) return 66;
    for (auto &one : FOLDED) folded[one.code] = one.text;
    sqlite3_create_function(
        store, "has_cafe", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, hasCafe, nullptr,
        nullptr);
    sqlite3_exec(store, "PRAGMA cache_size = -65536", nullptr, nullptr, nullptr);
    double began = cpuSeconds();
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store, argv[2], -1, &statement, nullptr)) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(store));
        return 64;
    }
    long count = 0, sum = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (argc > 3) {
            count = sqlite3_column_int64(statement, 0);
            continue;
        }
        count++;
        sqlite3_column_text(statement, 1);
        sum += sqlite3_column_bytes(statement, 1) + sqlite3_column_int64(statement, 2);
    }
    printf("%ld %ld %f\n", count, sum, cpuSeconds() - began);
}
