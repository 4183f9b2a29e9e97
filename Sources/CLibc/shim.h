#pragma once
// mallopt(3), epoll(7), eventfd(2) and setfsuid(2) are not in Swift's Glibc module.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
