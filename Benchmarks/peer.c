/* The limit to measure against: plain libzmq, two frames a message.
   peer publish ADDRESS COUNT BYTES | peer subscribe ADDRESS COUNT; prints messages a second. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    assert(argc > 3);
    const char *topic = "ranking.day.all.2024-06-04";
    int publishes = strcmp(argv[1], "publish") == 0, none = 0;
    long count = atol(argv[3]), bytes = publishes ? atol(argv[4]) : 0;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, publishes ? ZMQ_XPUB : ZMQ_SUB);
    zmq_setsockopt(socket, publishes ? ZMQ_SNDHWM : ZMQ_RCVHWM, &none, sizeof none);  // without a limit: nothing is dropped
    zmq_msg_t message;
    zmq_msg_init(&message);
    double began = 0;
    if (publishes) {
        char *body = calloc(1, bytes);
        assert(zmq_bind(socket, argv[2]) == 0);
        zmq_msg_recv(&message, socket, 0);  // somebody subscribed
        began = now();
        for (long i = 0; i < count; i++) {
            zmq_send(socket, topic, strlen(topic), ZMQ_SNDMORE);
            zmq_send(socket, body, bytes, 0);
        }
    } else {
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
        assert(zmq_connect(socket, argv[2]) == 0);
        for (long i = 0; i < count; i++) {
            zmq_msg_recv(&message, socket, 0);
            if (i == 0) began = now();
            zmq_msg_recv(&message, socket, 0);
        }
    }
    printf("%.0f\n", count / (now() - began));
    zmq_msg_close(&message);
    zmq_close(socket);
    zmq_ctx_term(context);
}
