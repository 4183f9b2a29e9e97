/* Browsers that watch one server: browsers PORT PATH COUNT EVENTS NAME prints `ready` when all have an answer, then, once each has
   had so many events of a name, deliveries a second from the first to the last. */
#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct browser { int socket, matched; long had; int answered; };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    assert(argc == 6);
    long count = atol(argv[3]), wanted = atol(argv[4]), answered = 0, left = count * wanted;
    char mark[64], head[512], bytes[65536];
    int length = snprintf(mark, sizeof mark, "event: %s\n", argv[5]), poll = epoll_create1(0);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){8192, 8192});
    alarm(120);  // an event that is lost would be waited for without end, for servers send signs of life
    struct browser *browsers = calloc(count, sizeof *browsers);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (long i = 0; i < count; i++) {
        struct browser *one = &browsers[i];
        one->socket = socket(AF_INET, SOCK_STREAM, 0);
        assert(connect(one->socket, (struct sockaddr *)&address, sizeof address) == 0);
        int size = snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", argv[2]);
        assert(write(one->socket, head, size) == size);
        epoll_ctl(poll, EPOLL_CTL_ADD, one->socket, &(struct epoll_event){EPOLLIN, {.ptr = one}});
    }
    double began = 0;
    while (left > 0) {
        struct epoll_event ready[256];
        int some = epoll_wait(poll, ready, 256, 60000);
        assert(some > 0);
        for (int i = 0; i < some; i++) {
            struct browser *one = ready[i].data.ptr;
            ssize_t size = read(one->socket, bytes, sizeof bytes);
            assert(size > 0);
            if (!one->answered++ && ++answered == count) puts("ready"), fflush(stdout);
            for (ssize_t n = 0; n < size; n++) {
                one->matched = bytes[n] == mark[one->matched] ? one->matched + 1 : bytes[n] == mark[0];
                if (one->matched < length) continue;
                one->matched = 0;
                if (began == 0) began = now();
                if (one->had++ < wanted) left--;
            }
        }
    }
    printf("%.0f\n", count * wanted / (now() - began));
}
