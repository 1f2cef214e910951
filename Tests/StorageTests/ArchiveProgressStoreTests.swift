import Foundation
import NatterCore
import Testing

@testable import Storage

@Suite struct ArchiveProgressStoreTests {
  @Test func `the progress of the search is read as it was stored`() async throws {
    let store = try await AccountDatabase.inMemory().archiveProgress
    #expect(try await store.searchProgress() == nil)
    for progress in [
      ArchiveSearchProgress.reached(ArchivePosition(id: "a 50", at: Sample.date(0.5))), .complete,
      .reached(ArchivePosition(id: "", at: Sample.date(-9.000_001))),
    ] {
      try await store.setSearchProgress(progress)
      #expect(try await store.searchProgress() == progress)
    }
  }

  @Test func `deliveries are read as they were stored, until there are none`() async throws {
    let store = try await AccountDatabase.inMemory().archiveProgress
    #expect(try await store.offlineDeliveries() == OfflineDeliveryLog())
    for deliveries in [
      OfflineDeliveryLog(last: Sample.date(5)),
      // A session that was given a single message.
      OfflineDeliveryLog(last: Sample.date(9), borders: [Sample.date(7), Sample.date(9)]),
      OfflineDeliveryLog(),
    ] {
      try await store.setOfflineDeliveries(deliveries)
      #expect(try await store.offlineDeliveries() == deliveries)
    }
  }
}
