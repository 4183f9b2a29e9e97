// Asks a worker with CURVE for its status: cc -o encrypted encrypted.c -lzmq && ./encrypted
// MARQUEE_CURVE_KEYS is a folder that holds the server's public key and the key pair of a client that the server knows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>
static const char *setting(const char *name, const char *otherwise) { return getenv(name) ? getenv(name) : otherwise; }
static void read_key(const char *file, const char *name, char *key) {  // finds a line `name = "…"`: 40 characters
    char path[512], line[256], pattern[64];
    snprintf(path, sizeof path, "%s/%s", setting("MARQUEE_CURVE_KEYS", "./marquee-keys"), file);
    FILE *stream = fopen(path, "r");
    if (!stream) perror(path), exit(1);
    snprintf(pattern, sizeof pattern, " %s = \"%%40[^\"]\"", name);
    while (fgets(line, sizeof line, stream))
        if (sscanf(line, pattern, key) == 1) return (void)fclose(stream);
    fprintf(stderr, "%s: no %s\n", path, name), exit(1);
}
int main(void) {
    char server[41], public[41], secret[41], file[128], answer[4096];
    snprintf(file, sizeof file, "%s.key_secret", setting("MARQUEE_CURVE_CLIENT", "client"));
    read_key("server.key", "public-key", server);
    read_key(file, "public-key", public);
    read_key(file, "secret-key", secret);
    void *context = zmq_ctx_new(), *commands = zmq_socket(context, ZMQ_REQ);
    int patience = 60000;
    zmq_setsockopt(commands, ZMQ_RCVTIMEO, &patience, sizeof patience);
    zmq_setsockopt(commands, ZMQ_CURVE_SERVERKEY, server, 40);  // before connecting: later they have no effect
    zmq_setsockopt(commands, ZMQ_CURVE_PUBLICKEY, public, 40);
    zmq_setsockopt(commands, ZMQ_CURVE_SECRETKEY, secret, 40);
    zmq_connect(commands, setting("MARQUEE_COMMANDS", "tcp://127.0.0.1:5551"));
    zmq_send(commands, "status", 6, ZMQ_SNDMORE);
    zmq_send(commands, "{}", 2, 0);
    for (int more = 1, size; more; zmq_getsockopt(commands, ZMQ_RCVMORE, &more, &(size_t){sizeof more})) {
        if ((size = zmq_recv(commands, answer, sizeof answer, 0)) < 0)
            return fprintf(stderr, "no answer: does the server know this key?\n"), 1;
        printf("%.*s\n", size < 4096 ? size : 4096, answer);
    }
}
