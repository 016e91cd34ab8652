import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Verdict } from "../../../src/core/permissions/command-verdict.ts";
import { rules, SENSIBLE, verdictOf } from "./rule-sets.ts";

const ALLOWED: string[] = [
  "git status",
  "git status -s",
  "  git   status  ",
  "git diff HEAD~1 -- src",
  "git log --oneline -5",
  "git log --oneline | head -5",
  "git --no-pager log -3".replace("--no-pager ", ""),
  "git add . && git commit -m 'fix: a thing'",
  'git commit -m "say \\"hello\\" to $USER"',
  "git commit -m \"$(cat <<'EOF'\nfix(core): a thing\n\nMore words.\nEOF\n)\"",
  "git show HEAD:src/a.ts | grep -n export | wc -l",
  "npm test",
  "npm test -- src/a.test.ts",
  "CI=1 npm test",
  "NODE_ENV=production npm run build",
  "npm run build 2>&1",
  "npm run build > /dev/null 2>&1",
  "npm run build 2>/dev/null | tail -20",
  "npm run build > build/out.txt",
  "npm test > test.log 2>&1",
  "npm test &> test.log",
  "cd src && ls -la",
  "(cd src; ls)",
  "{ ls; pwd; }",
  "ls src/*.ts",
  "ls ~/project",
  "ls $HOME",
  'cat "a file with blanks.txt"',
  "cat 'touch x; rm y'",
  "cat a.txt | sort | uniq -c | sort -rn | head",
  "grep -rn 'a;b' src || echo none",
  'grep -E "^(a|b)$" file.txt',
  "rg 'rm -rf' src/",
  "wc -l < README.md",
  "! grep -q x a.txt",
  "if [ -f package.json ]; then cat package.json; fi",
  "for f in a b c; do wc -l $f; done",
  'for f in src/*.ts; do grep -c x "$f"; done',
  "while true; do sleep 1; done",
  "test -d node_modules && echo yes || echo no",
  "find . -name '*.ts' -not -path './node_modules/*'",
  "find src -type f -exec grep -l TODO {} +",
  "find . -name '*.md' | xargs wc -l",
  "find . -name '*.md' -print0 | xargs -0 -n 1 head -1",
  "ls | xargs -I{} echo 'name: {}'",
  "sed -n '1,20p' src/a.ts",
  "sed -i 's/old/new/g' src/a.ts",
  "awk '{print $1}' a.txt",
  "jq -r '.scripts | keys[]' package.json",
  "timeout 60 npm test",
  "command -v node",
  "bash -c 'ls && pwd'",
  "bash scripts/check.sh",
  "node scripts/check.js --all",
  "npx tsc --noEmit",
  "mkdir -p build/a && ls build",
  "echo done # and nothing else",
  "cargo test --all -- --nocapture",
  "sleep 1 & npm test",
  "npm run deploy staging",
  "cat <<EOF\nhello $USER\nEOF",
  "cat <<'EOF' | grep x\n$(touch y)\nEOF",
  "git status \\\n  --short",
  "echo $((1 + 2))",
  "diff <(ls a) <(ls b)",
  "printf '%s\\n' a b",
];

const DENIED: string[] = [
  "touch x",
  " touch x",
  "\ttouch x",
  "true; touch x",
  "ls && touch x",
  "ls || touch x",
  "ls | touch x",
  "ls |& touch x",
  "ls & touch x",
  "ls\ntouch x",
  "A=1 touch x",
  "CI=1 touch x",
  "echo $(touch x)",
  'echo "$(touch x)"',
  "echo `touch x`",
  "cat <(touch x)",
  "cat <<EOF\n$(touch x)\nEOF",
  "(touch x)",
  "{ touch x; }",
  "! touch x",
  "if true; then touch x; fi",
  "for f in a; do touch $f; done",
  "for f in $(touch x); do ls; done",
  "ls(){ touch x; }; ls",
  "function f { touch x; }; f",
  "case a in a) touch x;; esac",
  "> test.log touch x",
  '"touch" x',
  "'to'uch x",
  "\\touch x",
  "t\\ouch x",
  "/usr/bin/touch x",
  "./touch x",
  "env touch x",
  "env A=1 touch x",
  "command touch x",
  "builtin touch x",
  "exec touch x",
  "eval 'touch x'",
  "eval touch x",
  "sudo touch x",
  "sudo -u me touch x",
  "time touch x",
  "timeout -s KILL 5 touch x",
  "nice -n 5 touch x",
  "nohup touch x &",
  "setsid touch x",
  "stdbuf -oL touch x",
  "xargs touch",
  "echo x | xargs -I% touch %",
  "find . -exec touch {} \\;",
  "find . -name a -ok rm {} \\;",
  "bash -c 'touch x'",
  'sh -c "ls; touch x"',
  "bash -lc 'touch x'",
  "env bash -c 'nice touch x'",
  "watch touch x",
  "ssh host touch x",
  "ssh host 'ls; touch x'",
  "npx touch x",
  "npm run deploy prod",
  "npm run deploy prod --now",
  "npm  run   deploy   'production'",
  "git push",
  "git push --force origin main",
  "echo x > .env",
  "echo x > ./.env",
  "echo x >> src/../.env",
  "echo x > /project/.env",
  "echo x 2> .env",
  "ls >| .env",
  "npm test &> .env",
];

const ASKED: string[] = [
  "curl example.com",
  "git statusx",
  '"git status" x',
  "git 'status x'",
  "$X x",
  "t$X x",
  "{touch,x}",
  "to*ch x",
  "~/bin/tool",
  "git $X",
  "PATH=/tmp/evil git status",
  "LD_PRELOAD=./x.so ls",
  "GIT_PAGER=x git log",
  "IFS=x ls",
  "PATH=/tmp/evil; git status",
  "for PATH in /tmp/evil; do ls; done",
  "export PATH=/tmp/evil; ls",
  "git -c core.pager=x log",
  "git --exec-path=/tmp log",
  "git diff --ext-diff",
  "git diff --output=x",
  "git log --outp=x",
  "git diff $X",
  "echo x > out.txt",
  "echo x > $FILE",
  "cd /tmp && echo x > .env",
  "cd /tmp && ./build/x",
  "ls > >(cat)",
  "echo $" + "{X:-$(ls)}",
  "echo $" + "{X@P}",
  "echo $[1+1]",
  "echo $((x))",
  "(( x ))",
  "[[ -f a ]] && ls",
  "case a in a) ls;; esac",
  "f() { ls; }; f",
  "alias ls=cat; ls",
  "find . -name a -delete",
  'find . -exec sh -c "$X" \\;',
  "find $X",
  "xargs -a f sh",
  "echo ls | sh",
  "bash",
  "bash <<EOF\nls\nEOF",
  'bash -c "$X"',
  "env -S 'ls x'",
  'eval "$X"',
  "source ./x",
  "trap 'ls' EXIT",
  "node -e 'x'",
  "bash -c -x 'ls'",
  "bash -O extglob -c 'ls'",
  "sed -n 1p x -e '1e ls'",
  "find . -execdir ./x {} \\;",
  "for f in a b; do echo > build/x; cd sub; done",
  "npm test --script-shell=./x",
  "npm -C /tmp test",
  "awk 'BEGIN { system(\"ls\") }'",
  "sed 's/a/ls/e' x",
  "sed -n '1w x' y",
  "sort -o x y",
  "rg --pre ls x",
  "printf -v PATH x",
  "test -v 'a[$(ls)]'",
  "ls 'unterminated",
  'ls "unterminated',
  "ls `unterminated",
  "ls $(unterminated",
  "ls \\",
  "cat <<EOF\nno end",
  "ls )",
  "ls\r",
  "ls\u00a0-l",
  "ls \u2028pwd",
  "l\\\ns",
  "ls $'a\\'; pwd; echo '",
  "ls &> test.log pwd",
  "a=(1 2)",
  "coproc ls",
  "",
  "# only words",
  "x".repeat(70_000),
  "ls;".repeat(500),
  "$(".repeat(100),
];

function check(set: Parameters<typeof verdictOf>[0], lines: readonly string[], verdict: Verdict): void {
  for (const line of lines) {
    const shown = JSON.stringify(line.length > 90 ? `${line.slice(0, 90)}…` : line);
    test(`${verdict}: ${shown}`, () => assert.equal(verdictOf(set, line), verdict));
  }
}

describe("a rule holds for every command of a line", () => {
  check(SENSIBLE, ALLOWED, "allow");
  check(SENSIBLE, DENIED, "deny");
  check(SENSIBLE, ASKED, "ask");
});

describe("one thing allowed and all else denied", () => {
  const set = [...rules("*", "deny", "*"), ...rules("bash", "allow", "git status *")];
  check(set, ["git status", "git status -s", "git 'status' $X", "git status 2>&1 >/dev/null"], "allow");
  check(
    set,
    [
      "git status; touch x",
      "git status && touch x",
      "git status | touch x",
      "git status $(touch x)",
      "git status `touch x`",
      "git status > x",
      "git status\ntouch x",
      "git status <<EOF\n$(touch x)\nEOF",
      '"git status" x',
      "A=1 git status",
      "$X",
    ],
    "deny",
  );
});

describe("everything allowed", () => {
  check(rules("bash", "allow", "*"), ["case a in", "eval $X", "ls 'x", "touch x > y", "", "x".repeat(70_000)], "allow");
  check([...rules("bash", "deny", "ls *"), ...rules("bash", "allow", "*")], ["ls; eval $X"], "allow");
});

describe("everything allowed but for some", () => {
  const set = [...rules("bash", "allow", "*"), ...rules("bash", "deny", "touch *"), ...rules("edit", "deny", "*.key")];
  check(
    set,
    ["curl x | tar xz", "X=1; echo $X", "python3 x.py > out", "make all", "git status $X", "kill $(cat pid)"],
    "allow",
  );
  check(set, ["s$@h -c 'cat y'", "a$X b", "env 'BASH_FUNC_ls%%=() { cat x; }' bash -c ls"], "ask");
  check(set, ["s$@h -c 'touch y'"], "deny");
  check(set, ["s$@h -c 'cat y'", "a$X b", "env 'BASH_FUNC_ls%%=() { cat x; }' bash -c ls"], "ask");
  check(set, ["s$@h -c 'touch y'"], "deny");
  check(set, ["curl x; touch y", "echo x > a.key", "echo x > b/../a.key", "env -i PATH=x touch y"], "deny");
  check(
    set,
    ["$X y", "eval $X", "case a in a) ls;; esac", "python3 -c 'x'", "git -c alias.x='!y' x", "echo > $X", "ls 'x"],
    "ask",
  );
});

test("the last rule that fits counts, for each command", () => {
  const set = [
    ...rules("bash", "deny", "git *"),
    ...rules("bash", "allow", "git log *"),
    ...rules("bash", "ask", "git log -p *"),
  ];
  assert.equal(verdictOf(set, "git log"), "allow");
  assert.equal(verdictOf(set, "git log; git fetch"), "deny");
  assert.equal(verdictOf(set, "git log; git log -p"), "ask");
  const lists = [
    ...rules("bash", "deny", "ls *"),
    ...rules("bash", "allow", "ls a *"),
    ...rules("bash", "ask", "ls a -R *"),
  ];
  assert.equal(verdictOf(lists, "ls a; ls a -l"), "allow");
  assert.equal(verdictOf(lists, "ls a; ls a $X"), "ask", "it may be -R");
  assert.equal(verdictOf(lists, "ls a; ls $X"), "deny", "it may be more than a");
});

test("a line of any length and depth is decided in good time", () => {
  const lines = ["$(", "`", "(", "'", '"', "${", "<<a\n", "ls;", "a ", "{a,", "\\\n", "*", "if ", "\0"].map((one) =>
    one.repeat(60_000 / one.length),
  );
  const began = performance.now();
  for (const line of lines) assert.notEqual(verdictOf(SENSIBLE, line), "allow");
  assert.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`);
});
