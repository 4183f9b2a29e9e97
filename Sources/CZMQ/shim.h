#pragma once
#include <zmq.h>
// eventfd(2) is not in Swift's Glibc module.
#include <sys/eventfd.h>
