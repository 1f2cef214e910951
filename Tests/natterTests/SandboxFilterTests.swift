import Foundation
import TestSupport
import Testing

/// The filter of system calls, made by the C code itself.
@Suite(.requires(.cc)) struct SandboxFilterTests {
  private static let program = """
    #include <stdio.h>
    #include "filter.h"
    int main() {
      struct natter_filter filter;
      for (int landlock = 0; landlock < 8; landlock += 2)
        for (int network = 0; network < 2; network++) {
          natter_filter_make(&filter, 1, landlock, network);
          puts(filter.length ? "whole" : "none");
        }
    }
    """

  /// Without room for all of it there is no filter: the launcher refuses to start a program then.
  @Test(arguments: [(512, "whole"), (300, "none"), (1, "none")])
  func `a filter is whole, or there is none`(size: Int, outcome: String) async throws {
    let folder = try TemporaryFolder("filter")
    try folder.write(Self.program, to: "main.c")
    let sources = Programs.checkout.appending(path: "Sources/C/CSandbox").path
    try await CommandRun.check(
      "cc",
      [
        "-w", "-DNATTER_FILTER_SIZE=\(size)", "-I", sources, "-I", sources + "/include", "-o",
        folder.path("main"), folder.path("main.c"), sources + "/filter.c",
      ])
    let run = try await CommandRun(folder.path("main"), [], environment: [:])
    #expect(run.text.split(separator: "\n").map(String.init) == Array(repeating: outcome, count: 8))
  }
}
