/// Grey JPEGs that are small as files and expensive to decode, put together byte by byte.
public enum CraftedJPEG {
    /// Returns a progressive JPEG: the coefficients of all components stay in memory until the last scan.
    ///
    /// - Parameters:
    ///   - components: 1, 3, or 4 for CMYK.
    ///   - sampling: The sampling factors of the first component; the others have 1 × 1.
    ///   - extraScans: Scans after the first, each for one coefficient of one component; at most 63 for each.
    public static func progressive(
        width: Int, height: Int, components: Int = 3, sampling: (Int, Int) = (1, 1), extraScans: Int = 0
    ) -> [UInt8] {
        var bytes = header(0xC2, width, height, components, sampling)
        let (unitWidth, unitHeight) = (8 * sampling.0, 8 * sampling.1)
        let units = ((width + unitWidth - 1) / unitWidth) * ((height + unitHeight - 1) / unitHeight)
        // A DC difference of 0 is the code 0, one bit for each block.
        bytes += scan(of: Array(1...components), from: 0, through: 0)
        bytes += zeroBits(units * (sampling.0 * sampling.1 + components - 1))
        for index in 0..<extraScans {
            let component = 1 + index / 63
            bytes += scan(of: [component], from: 1 + index % 63, through: 1 + index % 63)
            let (w, h) = component == 1 ? (width, height) : (width / sampling.0, height / sampling.1)
            // An end of a band is the code 0 as well.
            bytes += zeroBits(((w + 7) / 8) * ((h + 7) / 8))
        }
        return bytes + [0xFF, 0xD9]
    }

    /// Returns a sequential JPEG with a scan for each of its three components.
    public static func sequentialInScans(width: Int, height: Int) -> [UInt8] {
        var bytes = header(0xC0, width, height, 3, (1, 1))
        for component in 1...3 {
            bytes += scan(of: [component], from: 0, through: 63)
            bytes += zeroBits(2 * ((width + 7) / 8) * ((height + 7) / 8))
        }
        return bytes + [0xFF, 0xD9]
    }

    private static func header(
        _ frame: UInt8, _ width: Int, _ height: Int, _ components: Int, _ sampling: (Int, Int)
    ) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        // Adobe's mark: four components are inks.
        if components == 4 {
            bytes += [0xFF, 0xEE, 0, 14, 0x41, 0x64, 0x6F, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0]
        }
        bytes += [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        bytes += [0xFF, frame, 0, UInt8(8 + 3 * components), 8]
        bytes += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), UInt8(components)]
        for component in 1...components {
            bytes += [UInt8(component), component == 1 ? UInt8(sampling.0 << 4 | sampling.1) : 0x11, 0]
        }
        // Two tables, DC and AC, of one code each: one bit, which stands for 0.
        for table: UInt8 in [0x00, 0x10] {
            bytes += [0xFF, 0xC4, 0, 20, table, 1] + [UInt8](repeating: 0, count: 15) + [0]
        }
        return bytes
    }

    private static func scan(of components: [Int], from first: Int, through last: Int) -> [UInt8] {
        [0xFF, 0xDA, 0, UInt8(6 + 2 * components.count), UInt8(components.count)]
            + components.flatMap { [UInt8($0), 0] } + [UInt8(first), UInt8(last), 0]
    }

    /// Returns that many bits of 0, filled up with bits of 1 as the format has it.
    private static func zeroBits(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: count / 8) + (count % 8 == 0 ? [] : [UInt8(0xFF >> (count % 8))])
    }
}
