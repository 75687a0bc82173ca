#!/usr/bin/env python3
"""Builds the documentation as a site, and looks at its links; `make docs` runs it.

    scripts/site.py OUTPUT            OUTPUT/index.html is its first page

docs/*.md are copied, a reference is made of the public headers, and MkDocs makes HTML of both.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
HEADERS = os.path.join(ROOT, "include/ingot")
NOT_SHOWN = {"ingot.h", "numpy.h"}  # which only include others


# --- pages

def plain_page(text, name):
    """Without what is for scripts/snippets.py, and with names in place of links to sources."""
    text = re.sub(r"^ *<!-- cpp.*?-->\n", "", text, flags=re.M | re.S)

    def source(match):
        label, path = match.group(1), match.group(2)
        if not os.path.exists(os.path.join(ROOT, "docs", path)):
            sys.exit(f"docs/{name}: {path} is not there")
        return f"{label} (`{os.path.normpath(os.path.join('docs', path))}`)" if label not in path else f"`{label}`"

    return re.sub(r"\[([^\]]*)\]\((\.\./[^)]*)\)", source, text)


def copy_pages(folder):
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md"):
            with open(os.path.join(ROOT, "docs", name)) as file:
                text = file.read()
            with open(os.path.join(folder, name), "w") as file:
                file.write(plain_page(text, name))


# --- the reference

def escaped(text):
    """Nothing of it is Markdown, but for code in backquotes."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"[*_<>\[]", lambda m: "\\" + m.group(0), parts[i])
    return "`".join(parts)


def comment_text(lines):
    """Comment lines as Markdown: what is set in by three blanks or more is code."""
    out, code = [], False
    for line in lines:
        text = re.sub(r"^\s*//", "", line)
        is_code = text.startswith("   ")
        if is_code != code and (is_code or text.strip()):
            while code and out and not out[-1].strip():
                out.pop()
            out.append("```" + ("cpp" if is_code else "") if is_code else "```")
            code = is_code
        out.append(text[3:] if is_code else escaped(text.strip()))
        if is_code and not text.strip():
            out.append("")
    if code:
        out.append("```")
    text = "\n".join(out)
    return re.sub(r"```cpp\n", "\n```cpp\n", text)


def without_blocks(lines, begins):
    """Without the blocks in braces whose first line matches."""
    out, depth = [], None
    level = 0
    for line in lines:
        stripped = re.sub(r'"(\\.|[^"])*"', "", re.sub(r"//.*", "", line))
        if depth is None and re.match(begins, line):
            depth = level
        change = stripped.count("{") - stripped.count("}")
        if depth is None:
            out.append(line)
        level += change
        if depth is not None and level <= depth and "{" not in stripped.split("}")[-1] and change <= 0:
            depth = None
    return out


def signature(lines):
    """A declaration without the body of a function, and a class without its private part."""
    first = next((i for i, line in enumerate(lines) if not re.match(r"\s*(//|template|requires)", line)), 0)
    is_type = re.match(r"\s*(struct|class|enum|union)\b", lines[first]) is not None
    if is_type:
        out, hidden = [], False
        for line in lines:
            if re.match(r"\s*(private|protected):", line):
                hidden = True
            elif re.match(r"\s*public:", line):
                hidden = False
            elif re.match(r"};", line):
                hidden = False
            if not hidden and not re.search(r"by_name|// NOLINT$|For the library itself", line):
                out.append(line)
        return out
    text = "\n".join(lines)
    match = re.search(r"\)[^;{]*\{\n", text)
    if match and not text.rstrip().endswith("};"):
        return (text[:match.end()].rstrip().rstrip("{").rstrip() + ";").split("\n")
    return lines


def reference_page(name):
    with open(os.path.join(HEADERS, name)) as file:
        lines = file.read().split("\n")
    end = next(i for i, line in enumerate(lines) if line.startswith("#pragma once"))
    out = [f"# {name}", "", f"`#include <ingot/{name}>`", "", comment_text(lines[:end]), ""]
    body = [line for line in lines[end + 1:] if not line.startswith("#")]
    body = without_blocks(body, r"namespace (\w+::)*detail(::\w+)* \{")
    chunks, chunk = [], []
    for line in body + [""]:
        if line.strip() == "" and not re.match(r"^\s", line):
            level = sum(l.count("{") - l.count("}") for l in (re.sub(r"//.*", "", c) for c in chunk))
            if level > 0:
                chunk.append(line)
                continue
            if chunk:
                chunks.append(chunk)
            chunk = []
        elif re.match(r"(namespace .*\{|\}  // namespace.*|#.*)$", line):
            continue
        else:
            chunk.append(line)
    for chunk in chunks:
        parts, comment, code = [], [], []
        level = 0
        for line in chunk:
            if level == 0 and re.match(r"//", line) and code:
                parts.append((comment, code))
                comment, code = [], []
            if level == 0 and re.match(r"//", line):
                comment.append(line)
            else:
                code.append(line)
                level += re.sub(r"//.*", "", line).count("{") - re.sub(r"//.*", "", line).count("}")
        parts.append((comment, code))
        for comment, code in parts:
            while comment and re.match(r"// ---", comment[0]):
                title = re.sub(r"^// -+\s*|\s*-+$", "", comment[0]).strip()
                if title:
                    out += [f"## {title[0].upper() + title[1:]}", ""]
                comment = comment[1:]
            if comment:
                out += [comment_text(comment), ""]
            code = [line for line in code if not re.search(r"ByName by_name|^(struct|class) \w+;$", line)]
            code = signature(code) if code else []
            if "".join(code).strip():
                out += ["```cpp", *code, "```", ""]
    return "\n".join(out) + "\n"


def first_sentence(name):
    with open(os.path.join(HEADERS, name)) as file:
        lines = []
        for line in file:
            if not line.startswith("//") or not line[2:].strip():
                break
            lines.append(line[2:].strip())
    text = " ".join(lines)
    return re.split(r"(?<=[\w)])\.(\s|$)", text)[0].rstrip(".:") + "."


def write_reference(folder):
    os.makedirs(folder)
    names = sorted(name for name in os.listdir(HEADERS) if name.endswith(".h") and name not in NOT_SHOWN)
    index = ["# Reference", "", "The public headers, as they are: what each function takes, gives and refuses stands in front of its "
             "declaration. `<ingot/ingot.h>` includes all but `stablehlo.h`.", "", "| header | |", "| --- | --- |"]
    for name in names:
        page = name[:-2] + ".md"
        with open(os.path.join(folder, page), "w") as file:
            file.write(reference_page(name))
        sentence = first_sentence(name).replace("|", "\\|").replace("<", "&lt;")
        index.append(f"| [{name}]({page}) | {sentence} |")
    with open(os.path.join(folder, "index.md"), "w") as file:
        file.write("\n".join(index) + "\n")


# --- links

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if tag == "a" and name == "href" and value:
                self.links.append(value)


def check_links(site):
    pages = {}
    for folder, _, files in os.walk(site):
        for name in files:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                with open(path) as file:
                    pages[path] = Page(file.read())
    wrong = []
    for path, page in pages.items():
        if os.path.basename(path) == "404.html":
            continue
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            target, _, anchor = link.partition("#")
            whole = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if os.path.isdir(whole):
                whole = os.path.join(whole, "index.html")
            if not os.path.exists(whole):
                wrong.append(f"{os.path.relpath(path, site)}: {link} leads nowhere")
            elif anchor and whole in pages and anchor not in pages[whole].ids:
                wrong.append(f"{os.path.relpath(path, site)}: {link}: there is no such heading")
    with open(os.path.join(ROOT, "README.md")) as file:
        text = re.sub(r"```.*?```", "", file.read(), flags=re.S)
        for link in re.findall(r"\]\(([^)#]+)", text):
            if not re.match(r"[a-z]+:", link) and not os.path.exists(os.path.join(ROOT, link)):
                wrong.append(f"README.md: {link} is not there")
    if wrong:
        sys.exit("dead links:\n  " + "\n  ".join(wrong))
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, none dead")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    site = os.path.abspath(sys.argv[1])
    source = site + "-source"
    shutil.rmtree(source, ignore_errors=True)
    os.makedirs(os.path.join(source, "docs"))
    copy_pages(os.path.join(source, "docs"))
    write_reference(os.path.join(source, "docs/api"))
    shutil.copy(os.path.join(ROOT, "docs/site.css"), os.path.join(source, "docs/site.css"))
    shutil.copy(os.path.join(ROOT, "mkdocs.yml"), source)
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file",
                    os.path.join(source, "mkdocs.yml"), "--site-dir", site], check=True)
    check_links(site)


main()
