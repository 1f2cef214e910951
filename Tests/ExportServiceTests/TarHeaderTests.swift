import Foundation
import TestSupport
import Testing

@testable import ExportService

/// The headers of a tar archive, byte by byte.
@Suite struct TarHeaderTests {
  private func text(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
  }

  @Test func `each field is where ustar has it`() throws {
    let header = try #require(TarHeader(name: "manifest.json", size: 1000, modified: 1_795_860_000))
    let bytes = header.bytes
    #expect(bytes.count == 512)
    #expect(text(bytes, 0..<100) == "manifest.json")
    #expect(Array(bytes[100..<108]) == Array("0000600\0".utf8))
    #expect(Array(bytes[108..<124]) == Array("0000000\00000000\0".utf8))
    #expect(Array(bytes[124..<136]) == Array("00000001750\0".utf8))
    #expect(Array(bytes[136..<148]) == Array("15302523040\0".utf8))
    #expect(bytes[156] == UInt8(ascii: "0"))
    #expect(bytes[157..<257].allSatisfy { $0 == 0 })
    #expect(Array(bytes[257..<265]) == Array("ustar\00000".utf8.prefix(8)))
    #expect(bytes[265..<329].allSatisfy { $0 == 0 } && bytes[345...].allSatisfy { $0 == 0 })
    // The sum of all bytes, with blanks for itself.
    var blank = bytes
    blank.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
    let digits = String(blank.reduce(0) { $0 + Int($1) }, radix: 8)
    let sum = String(repeating: "0", count: 6 - digits.count) + digits
    #expect(Array(bytes[148..<156]) == Array((sum + "\0 ").utf8))
  }

  @Test func `a size of 8 GiB and more is binary`() throws {
    let octal = try #require(TarHeader(name: "a", size: (8 << 30) - 1, modified: 0)).bytes
    #expect(Array(octal[124..<136]) == Array("77777777777\0".utf8))
    let binary = try #require(TarHeader(name: "a", size: 8 << 30, modified: 0)).bytes
    #expect(Array(binary[124..<136]) == [0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0])
  }

  @Test func `a long name is cut at a folder`() throws {
    let folder = String(repeating: "f", count: 155)
    let name = String(repeating: "n", count: 100)
    #expect(text(try #require(TarHeader(name: name, size: 0, modified: 0)).bytes, 0..<100) == name)
    let both = try #require(TarHeader(name: "\(folder)/\(name)", size: 0, modified: 0)).bytes
    #expect(Array(both[0..<100]) == Array(name.utf8))
    #expect(Array(both[345..<500]) == Array(folder.utf8))
    let short = try #require(TarHeader(name: "a/b/\(name)", size: 0, modified: 0)).bytes
    #expect(text(short, 345..<500) == "a/b" && text(short, 0..<100) == name)
  }

  @Test(arguments: [
    "", "/etc/passwd", "a\u{0}b", String(repeating: "n", count: 101),
    String(repeating: "f", count: 156) + "/" + String(repeating: "n", count: 99),
    "a/" + String(repeating: "n", count: 101),
  ])
  func `a name that has no room is none`(name: String) {
    #expect(TarHeader(name: name, size: 0, modified: 0) == nil)
  }
}
