#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT ("copy the bytes") is a cast macro, which Swift does not import.
static inline int marquee_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int marquee_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic, which Swift cannot call.
static inline int marquee_sqlite3_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// A random UUID, as PostgreSQL's function of the same name makes one.
static inline void marquee_sqlite3_uuid(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count, (void)values;
    unsigned char b[16];
    sqlite3_randomness(sizeof b, b);
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    char text[37];
    sqlite3_snprintf(
        sizeof text, text, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
        b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static inline int marquee_sqlite3_add_uuid(sqlite3 *database) {
    return sqlite3_create_function_v2(
        database, "gen_random_uuid", 0, SQLITE_UTF8, 0, marquee_sqlite3_uuid, 0, 0, 0);
}
