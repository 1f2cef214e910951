import Testing

@testable import BridgeService

@Suite struct PlaceholderTests {
  @Test func `it is there`() {
    #expect(BridgeVersion.current == 1)
  }
}
