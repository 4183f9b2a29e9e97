public import FoundationEssentials

/// A part of a form (`multipart/form-data`, RFC 7578).
public struct MultipartPart: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// The name of the file that the part is told to be; nil for a plain field.
    public var fileName: String?
    /// The media type.
    public var contentType: String
    /// What the part holds.
    public var content: Data

    /// Makes a part.
    public init(_ name: String, fileName: String? = nil, contentType: String, content: Data) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
        self.content = content
    }
}
