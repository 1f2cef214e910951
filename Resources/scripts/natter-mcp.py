"""Lets an assistant read conversations and write drafts: an MCP server over natter serve --as NAME.

    natter scripts grant assistant conversations.read --in tea@rooms.example.org
    natter scripts grant assistant messages.read --in tea@rooms.example.org
    natter scripts grant assistant drafts.write --in tea@rooms.example.org

Then the assistant starts: python3 -B natter-mcp.py assistant. It has a tool for each right that was
given, and none that sends: a draft is put into the input, and you send it, or do not. Messages are
written by others, who may try to instruct the assistant: give it few conversations, and no other
tool by which it could pass on what it reads. It is not confined: it runs as the assistant's child.
"""
import json, os, subprocess, sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import natter

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
TEXT, NUMBER = {"type": "string"}, {"type": "integer", "minimum": 1, "maximum": 500}

# Name: the right, the method of Natter, what it does, its parameters, those that are needed.
TOOLS = {
    "list": ("conversations.read", "conversations.list", "Lists the conversations.", {}, []),
    "history": (
        "messages.read", "messages.history", "Reads messages of a conversation, oldest first.",
        {"conversation": TEXT, "account": TEXT, "before": TEXT, "limit": NUMBER}, ["conversation"]),
    "search": (
        "messages.read", "messages.search", "Searches messages.",
        {"query": TEXT, "conversation": TEXT, "account": TEXT, "limit": NUMBER}, ["query"]),
    "draft": (
        "drafts.write", "messages.draft",
        "Adds a text to the user's input of a conversation. The user decides whether to send it.",
        {"conversation": TEXT, "account": TEXT, "text": TEXT}, ["conversation", "text"]),
}


class Refusal(Exception):
    def __init__(self, code, message):
        self.answer = {"error": {"code": code, "message": message}}


def schema(properties, required):
    return {"type": "object", "properties": properties, "required": required,
            "additionalProperties": False}


def available(connection):
    held = connection.call("permissions.list")["permissions"]
    return {name: tool for name, tool in TOOLS.items() if tool[0] in held}


def call(connection, name, arguments):
    tool = available(connection).get(name) if isinstance(name, str) else None
    if tool is None:
        raise Refusal(-32602, "there is no such tool, or its right was not given")
    _, method, _, properties, _ = tool
    if not isinstance(arguments, dict) or set(arguments) - set(properties):
        raise Refusal(-32602, "the arguments are not those of the tool")
    # What the user has begun to write stays.
    parameters = {**arguments, **({"mode": "append"} if name == "draft" else {})}
    try:
        result, failed = connection.call(method, parameters), False
    except natter.NatterError as error:
        result, failed = {"error": str(error), "code": error.code}, True
    # Messages are data: they are in members of an object, never in a description.
    text = json.dumps(result, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": result,
            "isError": failed}


def answer(connection, method, parameters):
    if method == "initialize":
        wanted = parameters.get("protocolVersion")
        return {"protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "natter", "version": connection.info["natter"]}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [
            {"name": name, "description": tool[2], "inputSchema": schema(tool[3], tool[4])}
            for name, tool in available(connection).items()]}
    if method == "tools/call":
        return call(connection, parameters.get("name"), parameters.get("arguments", {}))
    raise Refusal(-32601, "there is no such method")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: natter-mcp.py NAME [NATTER]")
    program = sys.argv[2] if len(sys.argv) == 3 else "natter"
    with subprocess.Popen([program, "serve", "--as", sys.argv[1]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        connection = natter.Connection(child.stdout, child.stdin)
        for line in sys.stdin.buffer:
            reply = {"jsonrpc": "2.0", "id": None}
            try:
                request = json.loads(line)
                if not isinstance(request, dict) or not isinstance(request.get("method"), str):
                    raise Refusal(-32600, "this is no request")
                if "id" not in request:  # a notification
                    continue
                reply["id"] = request["id"]
                parameters = request.get("params", {})
                if not isinstance(parameters, dict):
                    raise Refusal(-32602, "the parameters are no object")
                reply["result"] = answer(connection, request["method"], parameters)
            except ValueError:
                reply["error"] = {"code": -32700, "message": "this is no JSON"}
            except Refusal as refusal:
                reply.update(refusal.answer)
            except natter.NatterError as error:
                reply["error"] = {"code": -32603, "message": str(error)}
            print(json.dumps(reply, ensure_ascii=False), flush=True)
        child.stdin.close()


main()
