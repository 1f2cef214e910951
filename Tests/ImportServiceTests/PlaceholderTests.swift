import Testing

@testable import ImportService

@Suite struct PlaceholderTests {
  @Test func `it is there`() {
    #expect(ImportItem.skipped == .skipped)
  }
}
