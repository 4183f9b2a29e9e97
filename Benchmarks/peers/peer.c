/* The limit to measure against: plain libzmq, two frames a message, queues without a limit, so that nothing is dropped.
   peer publish ADDRESS COUNT BYTES SUBSCRIBERS | peer events ADDRESS COUNT BYTES | peer subscribe ADDRESS COUNT SUBSCRIBERS
   prints messages a second; peer serve ADDRESS BYTES [DATABASE COMMITTED [elsewhere]] answers for ever, with a database after a commit
   of so many bytes, elsewhere on a thread of its own; peer ask ADDRESS COUNT WORD TOPIC [BODY] prints microseconds until each answer, which must begin with WORD; %ld in BODY becomes the
   number of the question; peer load ADDRESS,… COUNT WORD TOPIC BODY CLIENTS prints answers a second, where each client asks again when
   it has its answer. With CURVE_PUBLIC and CURVE_SECRET everybody has that key pair. */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static const char *topic = "ranking.day.all.2024-06-04";
static void *context;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void *open_socket(int type, const char *address) {
    void *socket = zmq_socket(context, type);
    const char *key = getenv("CURVE_PUBLIC"), *secret = getenv("CURVE_SECRET");
    int binds = type == ZMQ_XPUB || type == ZMQ_ROUTER, none = 0, one = 1;
    zmq_setsockopt(socket, ZMQ_SNDHWM, &none, sizeof none);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &none, sizeof none);
    if (type == ZMQ_XPUB) zmq_setsockopt(socket, ZMQ_XPUB_VERBOSE, &one, sizeof one);
    if (type == ZMQ_SUB) zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    if (key) {
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, strlen(secret) + 1);
        if (binds) zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &one, sizeof one);
        else zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, key, strlen(key) + 1);
        if (!binds) zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, key, strlen(key) + 1);
    }
    assert((binds ? zmq_bind : zmq_connect)(socket, address) == 0);
    return socket;
}

static void two(void *socket, const char *first, const void *second, size_t size) {
    zmq_send(socket, first, strlen(first), ZMQ_SNDMORE);
    zmq_send(socket, second, size, 0);
}

static void publish(const char *address, long count, long bytes, int subscribers, int numbered) {
    void *socket = open_socket(ZMQ_XPUB, address);
    char *body = malloc(bytes + 1024), text[64] = "";
    memset(body, 'x', bytes);
    for (int i = 0; i < subscribers; i++) zmq_recv(socket, text, sizeof text, 0);  // each has subscribed
    if (numbered) {  // envelopes as a worker has them, after the heartbeat that a subscription begins with
        if (text[1]) zmq_recv(socket, text, sizeof text, 0);  // who does not want all wants heartbeats and rankings
        const char *beat = "{\"specversion\":\"1.0\",\"data\":{\"epoch\":\"8f0c2a54-7d0e-4c0b-9a53-2f3f3b1c9a10\",\"positions\":{}}}";
        two(socket, "heartbeat.worker", beat, strlen(beat));
    }
    double began = now();
    for (long i = 1; i <= count; i++) {
        if (numbered) {
            long head = sprintf(
                body,
                "{\"specversion\":\"1.0\",\"id\":\"8f0c2a54-7d0e-4c0b-9a53-2f3f3b1c9a10/ranking/%016ld\",\"source\":\"/marquee/worker\","
                "\"type\":\"marquee.ranking.day.v1\",\"subject\":\"all/2024-06-04\",\"time\":\"2026-11-21T06:23:00.123Z\","
                "\"datacontenttype\":\"application/json\",\"stream\":\"ranking\",\"epoch\":\"8f0c2a54-7d0e-4c0b-9a53-2f3f3b1c9a10\","
                "\"sequence\":\"%016ld\",\"previous\":\"%016ld\",\"correlationid\":\"8f0c2a54\",\"data\":{\"text\":\"", i, i, i - 1);
            body[head] = 'x';
            memcpy(body + bytes - 3, "\"}}", 3);
        }
        two(socket, topic, body, bytes);
    }
    printf("%.0f\n", count / (now() - began));
    fflush(stdout);
    zmq_close(socket);
}

static void subscribe(const char *address, long count, int subscribers) {
    zmq_pollitem_t *items = calloc(subscribers, sizeof *items);
    for (int i = 0; i < subscribers; i++)
        items[i] = (zmq_pollitem_t){open_socket(ZMQ_SUB, address), 0, ZMQ_POLLIN, 0};
    zmq_msg_t message;
    zmq_msg_init(&message);
    double began = 0;
    for (long left = count * subscribers; left > 0;) {
        zmq_poll(items, subscribers, -1);
        for (int i = 0; i < subscribers; i++) {
            for (int n = 0; items[i].revents && n < 256 && zmq_msg_recv(&message, items[i].socket, ZMQ_DONTWAIT) >= 0; n++) {
                int beats = zmq_msg_size(&message) > 9 && memcmp(zmq_msg_data(&message), "heartbeat", 9) == 0;
                zmq_msg_recv(&message, items[i].socket, 0);
                if (beats) continue;
                if (began == 0) began = now();
                left--;
            }
        }
    }
    printf("%.0f\n", count * subscribers / (now() - began));
    fflush(stdout);
    for (int i = 0; i < subscribers; i++) zmq_close(items[i].socket);
}

static sqlite3_stmt *insertion(const char *path, long bytes) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert(sqlite3_open(path, &database) == SQLITE_OK);
    const char *schema = "pragma journal_mode = wal; pragma synchronous = full; create table event (body blob);";
    assert(sqlite3_exec(database, schema, NULL, NULL, NULL) == SQLITE_OK);
    assert(sqlite3_prepare_v2(database, "insert into event values (zeroblob(?))", -1, &statement, NULL) == SQLITE_OK);
    assert(sqlite3_bind_int64(statement, 1, bytes) == SQLITE_OK);
    return statement;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_due;

static void commit(sqlite3_stmt *statement) {
    assert(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
}

static void await(int due) {
    while (is_due != due) pthread_cond_wait(&changed, &lock);
}

static void tell(int due) {
    is_due = due;
    pthread_cond_signal(&changed);
}

/* Who commits on a thread of its own leaves the other to its sockets. */
static void *write_for_ever(void *statement) {
    pthread_mutex_lock(&lock);
    while (1) {
        await(1);
        commit(statement);
        tell(0);
    }
    return NULL;
}

static void commit_elsewhere(void) {
    pthread_mutex_lock(&lock);
    tell(1);
    await(0);
    pthread_mutex_unlock(&lock);
}

static void serve(const char *address, long bytes, const char *path, long committed, int elsewhere) {
    void *socket = open_socket(ZMQ_ROUTER, address);
    sqlite3_stmt *statement = path ? insertion(path, committed) : NULL;
    char *answer = calloc(1, bytes), id[256], frame[4096];
    pthread_t writer;
    if (elsewhere) assert(pthread_create(&writer, NULL, write_for_ever, statement) == 0);
    while (1) {
        int size = zmq_recv(socket, id, sizeof id, 0), more = 1;
        size_t length = sizeof more;
        while (more) {
            zmq_recv(socket, frame, sizeof frame, 0);
            zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &length);
        }
        if (elsewhere) commit_elsewhere();
        else if (statement) commit(statement);
        zmq_send(socket, id, size, ZMQ_SNDMORE);
        two(socket, path ? "accepted" : "status", answer, bytes);
    }
}

static void question(void *socket, const char *name, const char *format, long number) {
    char body[512];
    sprintf(body, format, number);
    two(socket, name, body, strlen(body));
}

static void answer(void *socket, const char *word) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    zmq_msg_recv(&message, socket, 0);
    // A refusal is quick, and no answer to what was asked.
    if (zmq_msg_size(&message) != strlen(word) || memcmp(zmq_msg_data(&message), word, strlen(word)) != 0) exit(3);
    while (zmq_msg_more(&message)) zmq_msg_recv(&message, socket, 0);
    zmq_msg_close(&message);
}

static void ask(const char *address, long count, const char *word, const char *name, const char *format) {
    void *socket = open_socket(ZMQ_DEALER, address);
    for (long i = 0; i < count; i++) {
        // A lone question: what the one before leaves to be done is not part of it.
        nanosleep(&(struct timespec){0, 3000000}, NULL);
        double began = now();
        question(socket, name, format, i);
        answer(socket, word);
        printf("%.1f\n", (now() - began) * 1e6);
    }
    fflush(stdout);
    zmq_close(socket);
}

static void load(char *addresses, long count, const char *word, const char *name, const char *format, int clients) {
    zmq_pollitem_t *items = calloc(clients, sizeof *items);
    char *servers[16];
    int some = 0;
    for (char *one = strtok(addresses, ","); one; one = strtok(NULL, ",")) servers[some++] = one;
    for (int i = 0; i < clients; i++)
        items[i] = (zmq_pollitem_t){open_socket(ZMQ_DEALER, servers[i % some]), 0, ZMQ_POLLIN, 0};
    double began = now();
    long asked = 0, answered = 0;
    while (asked < clients) question(items[asked].socket, name, format, asked), asked++;
    while (answered < count) {
        zmq_poll(items, clients, -1);
        for (int i = 0; i < clients; i++) {
            if (!items[i].revents) continue;
            answer(items[i].socket, word);
            answered++;
            if (asked < count) question(items[i].socket, name, format, asked++);
        }
    }
    printf("%.0f\n", count / (now() - began));
    fflush(stdout);
    for (int i = 0; i < clients; i++) zmq_close(items[i].socket);
}

int main(int argc, char **argv) {
    assert(argc > 3);
    char *verb = argv[1], *address = argv[2];
    long count = atol(argv[3]);
    context = zmq_ctx_new();
    if (strcmp(verb, "publish") == 0) publish(address, count, atol(argv[4]), atoi(argv[5]), 0);
    else if (strcmp(verb, "events") == 0) publish(address, count, atol(argv[4]), 1, 1);
    else if (strcmp(verb, "subscribe") == 0) subscribe(address, count, atoi(argv[4]));
    else if (strcmp(verb, "serve") == 0) serve(address, count, argc > 5 ? argv[4] : NULL, argc > 5 ? atol(argv[5]) : 0, argc > 6);
    else if (strcmp(verb, "load") == 0) load(address, count, argv[4], argv[5], argv[6], atoi(argv[7]));
    else ask(address, count, argv[4], argv[5], argc > 6 ? argv[6] : "");
    zmq_ctx_term(context);
}
