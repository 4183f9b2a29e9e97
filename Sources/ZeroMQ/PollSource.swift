/// A socket of libzmq that the I/O thread looks at when there is news.
///
/// libzmq says so by a descriptor that stays readable until the news is taken in, which any use of the socket may do (ZMQ_FD
/// in zmq_getsockopt(3)). So who uses a socket sets `mustLook`, and it is looked at before the thread sleeps.
protocol PollSource: AnyObject {
    /// Becomes readable when there is news.
    var descriptor: Int32 { get }
    /// Whether there may be something to do that the descriptor does not tell of.
    var mustLook: Bool { get set }

    /// Takes in the news, and does what there is to do for one turn.
    func look()
}
