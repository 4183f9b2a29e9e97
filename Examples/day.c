// Asks the worker for a day's chart and prints the events: cc -o day day.c -lzmq && ./day [2024-06-04]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>
static char topic[256], body[1 << 20];
static const char *setting(const char *name, const char *otherwise) { return getenv(name) ? getenv(name) : otherwise; }
static void receive(void *socket, int seconds, const char *missing) {  // a message's two frames
    int milliseconds = seconds * 1000;
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &milliseconds, sizeof milliseconds);
    memset(topic, 0, sizeof topic), memset(body, 0, sizeof body);
    if (zmq_recv(socket, topic, sizeof topic - 1, 0) >= 0 && zmq_recv(socket, body, sizeof body - 1, 0) >= 0) return;
    fprintf(stderr, "%s\n", missing), exit(1);
}
int main(int argc, char **argv) {
    void *context = zmq_ctx_new(), *events = zmq_socket(context, ZMQ_SUB), *commands = zmq_socket(context, ZMQ_REQ);
    const char *day = argc > 1 ? argv[1] : "2024-06-04";
    char id[64];
    sprintf(id, "c-%ld-%d", (long)time(NULL), getpid());
    const char *topics[][2] = {
        {"ranking.day.all.", day}, {"request.done.", id}, {"request.failed.", id}, {"heartbeat.worker", ""}};
    zmq_connect(events, setting("MARQUEE_EVENTS", "tcp://127.0.0.1:5552"));
    zmq_connect(commands, setting("MARQUEE_COMMANDS", "tcp://127.0.0.1:5551"));
    for (int i = 0; i < 4; i++)  // the heartbeat last: once one arrives, all are in force (see day.py)
        zmq_setsockopt(events, ZMQ_SUBSCRIBE, topic, sprintf(topic, "%s%.64s", topics[i][0], topics[i][1]));
    receive(events, 60, "no heartbeat from the worker");
    zmq_setsockopt(events, ZMQ_UNSUBSCRIBE, topics[3][0], strlen(topics[3][0]));
    zmq_send(commands, "fetch.day", strlen("fetch.day"), ZMQ_SNDMORE);
    zmq_send(commands, body, sprintf(body, "{\"date\":\"%.64s\",\"id\":\"%s\"}", day, id), 0);
    receive(commands, 60, "no receipt from the worker");
    if (strcmp(topic, "accepted")) return fprintf(stderr, "refused: %s\n", body), 1;
    do {
        receive(events, 60, "no outcome from the worker");
        if (topic[0] == 'r') printf("%s %s\n", topic, body);
    } while (!strstr(topic, id));
    return strncmp(topic, "request.done.", strlen("request.done.")) != 0;
}
