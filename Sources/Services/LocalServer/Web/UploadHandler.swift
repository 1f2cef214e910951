import FoundationEssentials
import Glibc

/// The upload and download of files over HTTP (XEP-0363 §5).
struct UploadHandler: WebHandling {
  let uploadSlot: UploadSlot
  /// The absolute path of the folder of the files.
  let folder: String

  func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply? {
    let path = request.path
    guard path.count == 3, path[0] == "upload" else { return nil }
    // The server's own ids are hexadecimal; any other name could point outside the folder.
    let id = path[1]
    guard id.utf8.count <= 64,
      id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return .text(404, "There is nothing here.\n") }
    switch request.method {
    case "GET", "HEAD": return file(String(id), request)
    case "PUT": return try await take(String(id), request, body)
    default: return .text(405, "That cannot be done with a file.\n")
    }
  }

  /// The lifetime of a file in seconds: 30 days. Uploads are for sharing, not for permanent
  /// storage.
  static let keepingTime = 30 * 86_400

  /// Removes files older than `keepingTime`, and incomplete uploads older than a day.
  func removeOld(now: Int = time(nil)) {
    // The folder does not exist before the first upload.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names {
      let path = "\(folder)/\(name)"
      var found = stat()
      guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { continue }
      let isLeftOver = name.hasSuffix(".part") && now - found.st_mtim.tv_sec > 86_400
      if isLeftOver || now - found.st_mtim.tv_sec > Self.keepingTime { unlink(path) }
    }
  }

  private func take(
    _ id: String, _ request: WebRequest, _ body: any WebBody
  ) async throws -> WebReply {
    guard
      let count = uploadSlot.byteCount(
        id: id, authorization: request.headers["authorization"] ?? "")
    else { return .text(401, "This place is not yours, or no longer.\n") }
    guard request.bodyCount == count else { return .text(413, "This is not the size.\n") }
    let path = "\(folder)/\(id)"
    if access(path, F_OK) == 0 { return .text(409, "The file is there already.\n") }
    mkdir(folder, 0o700)
    let part = path + ".part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return .text(507, String(cString: strerror(errno)) + "\n") }
    defer {
      close(descriptor)
      unlink(part)
    }
    while let bytes = try await body.next() {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return .text(507, String(cString: strerror(errno)) + "\n") }
        done += count
      }
    }
    let kind = Array((request.headers["content-type"] ?? "application/octet-stream").utf8)
    let typed = open(path + ".type", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if typed >= 0 {
      _ = write(typed, kind, kind.count)
      close(typed)
    }
    guard rename(part, path) == 0 else {
      return .text(507, String(cString: strerror(errno)) + "\n")
    }
    return WebReply(status: 201)
  }

  private func file(_ id: String, _ request: WebRequest) -> WebReply {
    let path = "\(folder)/\(id)"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .text(404, "There is nothing here.\n") }
    var found = stat()
    guard fstat(descriptor, &found) == 0 else {
      close(descriptor)
      return .text(404, "There is nothing here.\n")
    }
    let size = Int(found.st_size)
    let tag = "\"\(id)\""
    var headers = [
      ("Content-Type", kind(of: path)), ("ETag", tag), ("Accept-Ranges", "bytes"),
      // Uploaded content must not run as a page or a script in a browser.
      ("Content-Security-Policy", "default-src 'none'"), ("X-Content-Type-Options", "nosniff"),
    ]
    let condition = request.headers["if-range"]
    guard condition == nil || condition == tag, let range = request.headers["range"],
      range.hasPrefix("bytes="), range.hasSuffix("-"),
      let start = Int(range.dropFirst(6).dropLast())
    else {
      return WebReply(
        status: 200, headers: headers,
        body: .file(descriptor: descriptor, offset: 0, byteCount: size))
    }
    guard start >= 0, start < size else {
      close(descriptor)
      headers.append(("Content-Range", "bytes */\(size)"))
      return WebReply(status: 416, headers: headers)
    }
    headers.append(("Content-Range", "bytes \(start)-\(size - 1)/\(size)"))
    return WebReply(
      status: 206, headers: headers,
      body: .file(descriptor: descriptor, offset: start, byteCount: size - start))
  }

  private func kind(of path: String) -> String {
    let descriptor = open(path + ".type", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "application/octet-stream" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = read(descriptor, &bytes, bytes.count)
    return String(
      decoding: bytes.prefix(max(0, count)).filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
  }
}
