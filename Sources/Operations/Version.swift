/// Which marquee this is.
public let version = "0.1.0"
