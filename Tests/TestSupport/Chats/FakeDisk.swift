import Foundation
import NatterCore

/// Folders and files in memory.
package actor FakeDisk: FileLooking {
  private let folders: [String: [FolderFile]]
  private let previews: [String: FilePreview]
  /// The folders that were read and the files that were looked into, in order.
  package private(set) var asked: [String] = []

  /// - Parameter folders: what is in which; any other is not there.
  package init(_ folders: [String: [FolderFile]], previews: [String: FilePreview] = [:]) {
    self.folders = folders
    self.previews = previews
  }

  package func files(in folder: String) throws -> [FolderFile] {
    asked.append(folder)
    guard let files = folders[folder] else {
      throw NatterError(.invalidInput, "error.folder.gone", ["path": folder])
    }
    return files
  }

  package func preview(of path: String) -> FilePreview {
    asked.append(path)
    return previews[path] ?? .nothing
  }

  package func picture(_ bytes: [UInt8]) -> PictureFile? {
    PictureFile(
      path: "/thumbnails/\(bytes.count)", mediaType: "image/png", width: 32, height: 24,
      byteCount: bytes.count)
  }

  /// A home with a little of everything.
  package static func home() -> FakeDisk {
    FakeDisk(
      [
        "/": [FolderFile(name: "home", isFolder: true)],
        "/home": [FolderFile(name: "alice", isFolder: true)],
        "/home/alice": [
          FolderFile(name: ".config", isFolder: true),
          FolderFile(name: "Pictures", isFolder: true),
          FolderFile(name: "secret", isFolder: true),
          FolderFile(name: ".profile", isFolder: false, byteCount: 807),
          FolderFile(name: "keymap-v2.pdf", isFolder: false, byteCount: 310_000),
          FolderFile(name: "notes.txt", isFolder: false, byteCount: 4200),
          FolderFile(name: "祝你生日快乐的照片.png", isFolder: false, byteCount: 999),
        ],
        "/home/alice/.config": [],
        "/home/alice/Pictures": [
          FolderFile(name: "logo.png", isFolder: false, byteCount: 12_000),
          FolderFile(name: "summit.jpg", isFolder: false, byteCount: 1_200_000),
        ],
      ],
      previews: [
        "/home/alice/notes.txt": .text([
          "Things to bring:", "", "- a rope", "- \u{1B}[31mtea\u{1B}[0m and\tbread",
          "- a very long line that does not end where the window ends, and goes on and on and on",
        ]),
        "/home/alice/Pictures/logo.png": .picture(
          PictureFile(
            path: "/home/alice/Pictures/logo.png", mediaType: "image/png", width: 320,
            height: 240, byteCount: 12_000)),
        "/home/alice/Pictures/summit.jpg": .picture(
          PictureFile(
            path: "/home/alice/Pictures/summit.jpg", mediaType: "image/jpeg", width: 4000,
            height: 3000, byteCount: 1_200_000)),
      ])
  }
}
