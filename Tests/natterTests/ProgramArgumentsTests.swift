import Foundation
import Testing

@testable import natter

@Suite struct ProgramArgumentsTests {
  @Test func `each word of the kernel's command line counts, empty ones too`() {
    #expect(
      ProgramArguments.words(ofCommandLine: Array("natter\0send\0\0日本 語\0".utf8)) == [
        "send", "", "日本 語",
      ])
    #expect(ProgramArguments.words(ofCommandLine: Array("natter\0".utf8)) == [])
    #expect(ProgramArguments.words(ofCommandLine: []) == [])
  }
}
