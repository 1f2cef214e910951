import Testing

@testable import ExportService

@Suite struct PlaceholderTests {
  @Test func `it is there`() {
    #expect(ExportFormat(rawValue: "html") == .html)
  }
}
