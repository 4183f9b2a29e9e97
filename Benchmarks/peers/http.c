/* The sandbox's own limit: so many requests for days in flight by libcurl's multi interface, answers thrown away.
   http BASE KEY COUNT IN_FLIGHT prints answers a second. */
#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static size_t swallow(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static void ask(CURLM *multi, CURL *easy, char **argv, long number) {
    char url[1024], day[16];
    time_t noon = 1068552000 + number * 86400;  // from 2003-11-11 on
    struct tm parts;
    strftime(day, sizeof day, "%Y%m%d", gmtime_r(&noon, &parts));
    snprintf(url, sizeof url, "%s/boxoffice/searchDailyBoxOfficeList.json?key=%s&targetDt=%s", argv[1], argv[2], day);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(multi, easy);
}

int main(int argc, char **argv) {
    assert(argc == 5);
    long count = atol(argv[3]), width = atol(argv[4]), asked = 0, answered = 0;
    CURLM *multi = curl_multi_init();
    double began = now();
    for (; asked < width; asked++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, swallow);
        ask(multi, easy, argv, asked);
    }
    while (answered < count) {
        int running, left;
        curl_multi_perform(multi, &running);
        for (CURLMsg *done; (done = curl_multi_info_read(multi, &left));) {
            if (done->msg != CURLMSG_DONE) continue;
            if (done->data.result != CURLE_OK) return fprintf(stderr, "http: %s\n", curl_easy_strerror(done->data.result)), 1;
            answered++;
            CURL *easy = done->easy_handle;
            curl_multi_remove_handle(multi, easy);
            if (asked < count) ask(multi, easy, argv, asked++);
        }
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("%.0f\n", count / (now() - began));
}
