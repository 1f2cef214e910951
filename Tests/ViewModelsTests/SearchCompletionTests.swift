import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// The completion of filters in the search.
@Suite struct SearchCompletionTests {
  private func completed(_ query: String, _ tag: String = "en", cursor: Int? = nil) throws
    -> String?
  {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    return SearchCompletion(
      localizer, names: ["Bob Martin", "Chloé", "Dan \"D\" Day", "\"Eve\" E"]
    )
    .completed(query, cursor: cursor ?? query.count)
    .map { "\($0.query.prefix($0.cursor))|\($0.query.dropFirst($0.cursor))" }
  }

  @Test(arguments: [
    ("en", "bef", "before:|"), ("en", "rose aft", "rose after:|"), ("en", "has:l", "has:link|"),
    ("en", "is:", "is:unread|"), ("en", "on:y", "on:yesterday|"), ("en", "from:m", "from:me|"),
    ("en", "from:bob", "from:\"Bob Martin\"|"), ("en", "in:chlo", "in:Chloé|"),
    ("en", "from:da", "from:\"Dan\"|"), ("en", "in:\"eve", nil), ("fr", "bef", "before:|"),
    ("fr", "has:im", "has:image|"), ("fr", "de:m", "de:moi|"),
    ("zh-Hans", "来", "来自:|"), ("zh-Hans", "来自：我", nil), ("zh-Hans", "含有:图", "含有:图片|"),
  ])
  func `names and values are completed, in the language and in English`(
    tag: String, query: String, whole: String?
  ) throws {
    #expect(try completed(query, tag) == whole)
  }

  @Test func `what is complete, short or no filter is left alone`() throws {
    for query in [
      "", " ", "be", "rose", "has:link", "has:x", "from:", "in:", "from:me", "10:3", "has:li ",
    ] {
      #expect(try completed(query) == nil, "\(query)")
    }
    // Only the word before the cursor.
    #expect(try completed("has:li rose", cursor: 6) == "has:link| rose")
    #expect(try completed("has:li rose", cursor: 5) == nil)
  }
}
