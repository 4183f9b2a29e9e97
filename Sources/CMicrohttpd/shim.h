#pragma once
#include <microhttpd.h>

// Swift cannot call variadic functions: each is forwarded with the arguments that WebServer uses.

struct marquee_limits {
    unsigned int connections;
    unsigned int connections_per_address;
    unsigned int inactivity_seconds;
    size_t connection_memory;
};

/// `MHD_start_daemon`: one thread in epoll that accepts on `socket`; connections can be suspended.
static inline struct MHD_Daemon *marquee_start(
    int socket, struct marquee_limits limits, MHD_AccessHandlerCallback on_request,
    void *(*on_target)(void *context, const char *target, struct MHD_Connection *connection),
    MHD_RequestCompletedCallback on_completed, MHD_NotifyConnectionCallback on_connection, void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, context,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, context,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.inactivity_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

/// The size of the request's head in bytes, from its method to its empty line; 0 if it has not arrived whole.
static inline size_t marquee_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// The peer's address, or NULL (`MHD_get_connection_info`).
static inline const struct sockaddr *marquee_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// The connection's socket, or -1 (`MHD_get_connection_info`).
static inline int marquee_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
