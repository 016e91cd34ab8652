import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decide } from "../../../src/core/ledger/verdicts.ts";
import { allows } from "../../../src/core/permissions/grants.ts";
import { offeredPatterns } from "../../../src/core/permissions/offer.ts";
import type { Grant } from "../../../src/core/session-state.ts";
import { seedOf } from "../../support/random.ts";
import { randomLine } from "./random-lines.ts";
import { rules } from "./rule-sets.ts";

test("a grant is for its action only, and every pattern of a request must be covered", () => {
  const granted = [
    { action: "edit", patterns: ["a.txt"] },
    { action: "edit", patterns: ["b.txt"] },
    { action: "todo", patterns: [] },
  ];
  const asks = (action: string, patterns: string[]): boolean => allows(granted, { action, patterns });
  assert.equal(asks("edit", ["a.txt", "b.txt"]), true);
  assert.equal(asks("edit", ["a.txt", "c.txt"]), false);
  assert.equal(asks("edit", []), false);
  assert.equal(asks("todo", ["ls"]), false);
  assert.equal(asks("todo", []), true);
});

describe("the patterns that an always for a command offers", () => {
  const offers: [string, string[]][] = [
    ["git status", ["git status *"]],
    ["git status -s", ["git status *"]],
    ["git  diff HEAD~1", ["git diff *"]],
    ["git log --output=x", ["git log --output=x"]],
    ["git push origin main", ["git push origin main"]],
    ["git -c a=b status", ["git -c a=b status"]],
    ["git foo bar", ["git foo bar"]],
    ["npm run build", ["npm run build *"]],
    ["npm test -- a.test.ts", ["npm test *"]],
    ["CI=1 npm test", ["npm test *"]],
    ["FOO=1 npm test", ["FOO=1 npm test"]],
    ["ls", ["ls *"]],
    ["ls -la src && npm test", ["ls *", "npm test *"]],
    ["cat a.txt | grep x | cat", ["cat *", "grep *"]],
    ["echo x > out.txt", ["echo *", "> out.txt"]],
    ["echo x > sub/../out.txt 2>&1", ["echo *", "> out.txt"]],
    ["npm test > /dev/null", ["npm test *"]],
    ["rm -rf build", ["rm -rf build"]],
    ["rm *.log", ["rm %2A.log"]],
    ["sudo ls", ["sudo ls", "ls *"]],
    ["python3 -c 'print(1)'", ["python3 -c 'print(1)'"]],
    ["node script.js", ["node script.js"]],
    ["./deploy.sh now", ["./deploy.sh now"]],
    ["bash -c 'ls'", ["bash -c ls", "ls *"]],
    ["npx tsc --noEmit", ["npx tsc *"]],
    ["npx something", ["npx something"]],
    ["find . -name x", ["find *"]],
    ["find . -delete", ["find . -delete"]],
    ["rm $X", ["rm $X"]],
    ["ls $X", ["ls *"]],
    ["for x in *; do cat $x; done", ["cat *"]],
    ["case x in *) ls;; esac", ["case x in %2A) ls;; esac"]],
    ["echo 100% …", ["echo *"]],
    ["tool 100% …", ["tool 100%25 '%E2%80%A6'"]],
    ["ls 'unterminated", ["ls 'unterminated"]],
    ["sed -n 1,5p a", ["sed *"]],
    ["sed -i s/a/b/ c", ["sed -i s/a/b/ c"]],
    ["sed -ni.bak s/a/b/ c", ["sed -ni.bak s/a/b/ c"]],
    ["sed s/a/b/ c --in-place", ["sed s/a/b/ c --in-place"]],
    ["uniq -c a", ["uniq *"]],
    ["uniq a b", ["uniq a b"]],
    ["xxd a", ["xxd *"]],
    ["xxd -r -p - a", ["xxd -r -p - a"]],
    ["yq -i .a=1 b", ["yq -i .a=1 b"]],
    ["tree -o a", ["tree -o a"]],
    ["npm install", ["npm install"]],
    ["npm install ./a", ["npm install ./a"]],
    ["pip install a", ["pip install a"]],
    ["npm pack ./a", ["npm pack ./a"]],
    ["npm ci", ["npm ci *"]],
  ];
  for (const [command, patterns] of offers)
    test(`${JSON.stringify(command)}: ${patterns.join(", ")}`, () => {
      assert.deepEqual(offeredPatterns(command, "/project"), patterns);
    });
});

describe("grants of earlier asks", () => {
  const after = (granted: Grant[], command: string, permissions = rules("bash", "ask", "*")): string =>
    decide({ permissions, granted, directory: "/project" }, { action: "bash", command, patterns: [] });
  const always = (command: string): Grant => ({
    action: "bash",
    patterns: offeredPatterns(command, "/project"),
    command,
  });

  test("the line itself is always covered by what was offered for it", () => {
    for (const line of [
      "git status",
      "rm *.log",
      "case x in *) ls;; esac",
      "echo a > b",
      "ls 'x",
      "sudo ls",
      "rm $X",
      "a=1",
    ])
      assert.equal(after([always(line)], line), "allow", line);
  });

  test("an always for any line allows the same line again, and no unknown program beside it", () => {
    fc.assert(
      fc.property(randomLine, (line) => {
        const granted = [always(line)];
        assert.equal(after(granted, line), "allow");
        for (const more of [`unknown; ${line}`, `unknown\n${line}`, `unknown "$(${line}\n)"`])
          assert.equal(after(granted, more), "ask");
      }),
      { numRuns: 2_000, seed: seedOf() },
    );
  });

  test("a family is covered, and nothing beside it", () => {
    const granted = [always("git status"), always("npm test && echo x > out.txt")];
    for (const line of [
      "git status -s",
      "npm test a",
      "git status; npm test -- b",
      "echo y > ./out.txt",
      "git status $X",
    ])
      assert.equal(after(granted, line), "allow", line);
    for (const line of [
      "git status; ls",
      "npm run x",
      "git push",
      "echo y > other.txt",
      "A=1 npm test",
      "npm test $(ls)",
    ])
      assert.equal(after(granted, line), "ask", line);
  });

  test("a family that reads does not cover the options and words by which it writes, nor one that installs any other package", () => {
    const family = (pattern: string): Grant => ({ action: "bash", patterns: [pattern], command: "x" });
    const rows: [string, string[], string[]][] = [
      ["sed *", ["sed -n 1p a", "sed 's/-i/x/' a"], ["sed -i s/a/b/ .env", "sed s/a/b/ .env -i", "sed --in-place p a"]],
      ["sed *", ["sed -En 1p a"], ["sed -i.b s/a/b/ c", "sed -ni p a", "sed -iE s/a/b/ c"]],
      ["uniq *", ["uniq", "uniq -c a"], ["uniq a .env", "uniq - .env", "uniq -- a .env", "uniq $X", "uniq *"]],
      ["xxd *", ["xxd a", "xxd -p a"], ["xxd -r -p - .env", "xxd a b", "xxd -r $X", "xxd -- a b"]],
      ["yq *", ["yq .a b"], ["yq -i .a=1 b", "yq --inplace .a=1 b", "yq -s .a b", "yq -Pi . b"]],
      ["tree *", ["tree -L 2"], ["tree -o .env", "tree -ao .env", "tree -a$X .env", "tree $X"]],
      ["file *", ["file a"], ["file -C -m a", "file --compile -m a"]],
      ["npm install *", ["npm install"], ["npm install /tmp/evil", "npm install --save a", "npm install $X"]],
      ["pip install *", [], ["pip install a", "pip install -r a"]],
      ["npm pack *", ["npm pack"], ["npm pack /tmp/evil"]],
    ];
    for (const [pattern, covered, beyond] of rows) {
      for (const line of covered) assert.equal(after([family(pattern)], line), "allow", line);
      for (const line of beyond) assert.equal(after([family(pattern)], line), "ask", line);
    }
  });

  test("a denial counts more than a grant, and a doubt is lifted only by a grant of the same text", () => {
    const deny = [...rules("bash", "ask", "*"), ...rules("bash", "deny", "npm test prod*")];
    assert.equal(after([always("npm test")], "npm test a", deny), "allow");
    assert.equal(after([always("npm test")], "npm test prod", deny), "deny");
    assert.equal(after([always("npm test")], "npm test $X", deny), "ask");
    assert.equal(after([always("npm $X")], "npm $X", deny), "allow");
  });

  test("a rule and a grant may each allow a part of a line", () => {
    assert.equal(after([always("npm test")], "ls && npm test", rules("bash", "allow", "ls *")), "allow");
  });

  test("a file that may always be edited may be written by the shell, too", () => {
    const granted = [always("echo x"), { action: "edit", patterns: ["a.txt"] }];
    assert.equal(after(granted, "echo y > a.txt"), "allow");
    assert.equal(after(granted, "echo y > b.txt"), "ask");
  });

  test("grants of logs from before commands were read are for the same text, never for more", () => {
    const old = (...patterns: string[]): Grant[] => [{ action: "bash", patterns }];
    assert.equal(after(old("npm run build"), "npm run build"), "allow");
    assert.equal(after(old("echo %2A"), "echo *"), "allow");
    assert.equal(after(old("ls a && rm b"), "ls a && rm b"), "allow");
    for (const [pattern, line] of [
      ["npm run build", "npm run build x"],
      ["npm test …", "npm test …"],
      ["npm test …", "npm test a"],
      ["echo %2A", "echo a"],
      ["git *", "git"],
      ["rm logs/*", "rm logs/a; touch b"],
      ["rm logs/*", "rm logs/$(touch b)"],
      ["npm run build", "npm run build; npm run build"],
    ] as const)
      assert.equal(after(old(pattern), line), "ask", `${pattern}: ${line}`);
    assert.equal(after(old("rm logs/*"), "rm logs/a"), "allow");
  });
});
