/// Bytes that any number of responses send at the same time without copying them.
public final class SharedBytes: Sendable {
    // Never written after `init`, and freed by the last reference.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    /// Copies bytes.
    public init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        buffer.deallocate()
    }

    /// The number of bytes.
    public var count: Int { buffer.count }

    /// A copy of the bytes.
    public var bytes: [UInt8] { Array(buffer) }

    /// The address of the bytes, valid while the object is referenced.
    var address: UnsafeMutableRawPointer? { buffer.baseAddress }
}
