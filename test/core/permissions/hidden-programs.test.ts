import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { offeredPatterns } from "../../../src/core/permissions/offer.ts";
import { rules, verdictOf } from "./rule-sets.ts";

/** Lines by which bash or dash runs `touch x` under the name of another program. */
const IN_THE_SHELL: string[] = [
  'echo "$\\\n(touch x)"',
  'echo "$\\\n\\\n(touch x)"',
  "if\\\n touch x; then ls; fi",
  "{\\\n touch x; }",
  "!\\\n touch x",
  "echo $(\\\n(touch x))",
  "test -v \"a[']'\\$(touch x)]\"",
  "[ -v 'a[\"]\"$(touch x)]' ]",
  "printf %d 'a[$(touch x)]'",
  "bash -oc posix 'touch x'",
  "eval -- touch x",
  "PS4='$(touch x)'; set -x; ls",
  "export PS4='$(touch x)'; set -x; ls",
  "BASH_ENV='$(touch x)' bash -c ls",
  "declare -i n; n='a[$(touch x)]'",
  "bash /dev/stdin <<'E'\ntouch x\nE",
  "echo touch x | bash /dev/fd/0",
  "cd /dev && bash fd/0 <<'E'\ntouch x\nE",
  "cd /dev/fd && bash 0 <<'E'\ntouch x\nE",
  "cd / && bash dev/fd//0 <<'E'\ntouch x\nE",
  "cd / && bash dev/fd/./0 <<'E'\ntouch x\nE",
  "cat <<'ls'; (ls\nls\n)\ntouch x\nls",
  "cat <<'ls'; echo $(ls\nls\n)\ntouch x\nls",
  "cat <<'ls'; for x in a\nls\ndo ls; done\ntouch x\nls",
  "cat <<'ls'; for x\nls\nin a; do ls; done\ntouch x\nls",
  "for x in 'a[$(touch$IFS./x)]'; do cat {a[x]}</dev/null; done",
  "for x in 'a[$(touch$IFS./x)]'; do echo {a[x]}>/dev/null; done",
  "for x in 'a[$(touch$IFS./x)]'; do test -v 'a[x]'; done",
  "for x in 'a[$(touch$IFS./x)]'; do [ -$z'v' a[x] ]; done",
  "for x in 'a[$(touch$IFS./x)]'; do for y in -v; do [ $y 'a[x]' ]; done; done",
  "for x in 'a[$(touch$IFS./x)]'; do for y in -v; do [ \"$y\" 'a[x]' ]; done; done",
  "for x in 'a[$(touch$IFS./x)]'; do printf -$z'va[x]' y; done",
  "[ $(echo '-v a[$(touch$IFS./x)]') ]",
  "for x in 'a[$(touch$IFS./x)]'; do [ {-v,a[x]} ]; done",
  "for x in 'a[$(touch$IFS./x)]'; do [ -n {x,-o,-v,a[x]} ]; done",
  "cd g && [ * ]",
  "printf '.%n' PATH; ls",
  "for f in '.%n'; do printf \"$f\" PATH; done; ls",
];

/** Lines by which a program that is known for something else runs `touch x`. */
const BY_OTHERS: string[] = [
  "PAGER='touch x' git log",
  "export PAGER='touch x'; git log",
  "taskset 1 touch x",
  "setarch -R touch x",
  "prlimit --nofile=9 touch x",
  "ssh-agent touch x",
  "/lib64/ld-linux-x86-64.so.2 /bin/touch x",
  "gtimeout 5 touch x",
  "gxargs touch",
  "rbash -c 'touch x'",
  "split --filter='touch x' a",
  "sqlite3 :memory: '.shell touch x'",
  "sort --co='touch x' a",
  "fd -Hx touch x",
  "tar -I'touch x' -cf a .",
  "tar -cf a . --rs='touch x'",
  "git archive -o .env HEAD",
  "npm -s exec -c 'touch x'",
  "/usr/bin/npx -c 'touch x'",
  "npm explore a -- touch x",
  "npm test --script-s=./touch",
  "npm test --userconfig=a",
  "make build --fil=a",
  "make build '.SHELLFLAGS=-c touch'",
  "make build 'a-b=$(shell touch x)'",
  "go env -w CC=./touch",
  "go build -ldflags '-linkmode=external -extld=./touch'",
  "pylint --init-hook='import os'",
  "mvn test exec:exec -Dexec.executable=touch",
  "dotnet build -p:PreBuildEvent=touch",
  "git clone -qc core.sshCommand='touch x' a@b:c",
  "git clone --confi=core.sshCommand='touch x' a@b:c",
  "git init --templ=a",
  "git bisect view push",
  "node --import=data:text/javascript,1 a.js",
  "python3 -m timeit 'import os'",
  "echo 'import os' | python3 -u",
  "python3 /dev/stdin < a",
  "perl '-Mstrict;system(1)' a.pl",
  "awk -da 1",
  "find . -maxdepth 0 -exec$z touch x ';'",
  "find . -maxdepth 0 -exe{c..c} touch x ';'",
  "find . -maxdepth 0 -exe$'c' touch x ';'",
  "for y in 'b -exec touch x ;'; do find a$y; done",
  "bash -c 'find a\"$@\"' b '' -exec touch x ';'",
  "xargs -I% find . -% touch x ';' < a",
  "awk -F$z x 'BEGIN{system(\"touch x\")}'",
  "awk -v$z x=1 'BEGIN{system(\"touch x\")}'",
  "git fetch --upload-pack$z 'touch x;' .",
  "git log --output$z=x",
  "git ls-remote --sort -- --upload-pack='touch x;' .",
  "git fetch -o -- --upload-pack 'touch x;' .",
  "git clone -b -- -u 'touch x;' . y",
  "git rebase -s -- -x 'touch x' --root",
  "git grep -1O'touch x; true' hello",
  "git clone -4u 'touch x;' . y",
  "git format-patch -No a HEAD",
  "git format-patch --output-directory=a HEAD",
  "make build -$z-eval '$(shell touch x)'",
  "tar -$z'I' 'touch x' -cf a .",
  "for y in 'b --checkpoint-action=exec=touch'; do tar cf a$y .; done",
  "sort -$z'o' x a",
  "npm exec$z -c 'touch x'",
  "npm exe -c 'touch x'",
  "npm conf set script-shell=./touch",
  "npm pkg set scripts.x='touch x'",
  "npm test -node-options=--require=./touch",
  "node -$z'e' 1",
  "node --entry-url data:text/javascript,1 a.js",
  "node --test-reporter=data:text/javascript,1 a.js",
  "node --experimental_loader=./a.mjs b.js",
  "node --env-file=a b.js",
  "perl -$z'e' 'system(1)' a",
  "perl '-w -e' 'system(1)' a",
  "python3 -$z'c' 'import os' a",
  "cd / && python3 dev/fd//0 < a",
  "find . -maxdepth 0 -exec echo $z\\; -exec touch x ';'",
  "find . -maxdepth 0 -exec echo \"{}$z\" + -exec touch x ';'",
  "find . -maxdepth 0 -exec echo {} $'+' -exec touch x ';'",
  "find . -maxdepth 0 -exec echo {} {,+} -exec touch x ';'",
  "xargs -I% find . -maxdepth 0 -exec echo % -exec touch x ';' < a",
  "awk -F $z x 'BEGIN{system(\"touch x\")}'",
  "awk -F $! x 'BEGIN{system(\"touch x\")}'",
  "awk -F {x,'BEGIN{system(\"touch x\")}'}",
  "xargs -E $z ls touch x < a",
  "env -u $z ls touch x",
  "git -C $z log -c alias.x='!touch x' x",
  "git pull -- '--upload-pack=touch x;' .",
  "sed 's/[/x/;s#]/touch x/e#x#' a",
  "make build -- '-x:=$(shell touch x)'",
  "npm test -sC a",
  "npm test --C a",
  "echo 'require(1)' | node ''",
  "echo 'system(1)' | perl ''",
  "node inspect a.js < b",
  "go env -w=true CC=./touch",
  "echo '. -exec touch x ;' | xargs -Iy -n9 find",
  "echo '. -exec touch x ;' | xargs -Iy -L1 find",
  "find -D -exec echo -exec touch x ';'",
  "python3 --check-hash-based-pycs default -m timeit a",
  "echo 'import os' | python3 -qi a.py",
  "echo . -c alias.x='!touch x' x | xargs git -C",
];

/** The same of programs that only these lines are about. */
const BY_COPIERS: string[] = [
  "scp -qoProxyCommand='touch x' a h:b",
  "scp -rS ./touch a h:b",
  "scp -F a b h:c",
  "sftp -qoProxyCommand='touch x' h",
  "zip -9T -9TT 'touch x;true' x.zip a",
  "cc -wrapper env,touch,x,-- a.c",
  "g++ -wrapper env,touch,x,-- a.c",
  "x86_64-linux-gnu-gcc-12 -wrapper env,touch,x,-- a.c",
  "gcc @a",
  "wget --use-ask=./touch a",
  "wget -e use_askpass=./touch a",
  "pytest --trace a.py < b",
  "echo f | zip -@T x.zip -@TT 'touch x #'",
  "wget -Le use_askpass=./touch a",
  "curl --engine ./a.so https://a.b",
  "curl -sK a https://a.b",
  "pytest -s -o addopts=--trace a.py < b",
  "pnpm recursive exec touch x",
  "yarn workspace a exec touch x",
];

/** Lines of everyday, with a word that only the shell will know. */
const EVERYDAY: string[] = [
  '[ "$a" = "$b" ] && echo yes',
  '[ "$a" == b ]',
  'test "$x" = y',
  '[ -n "$X" ]',
  '[ -f "$f" ]',
  'for f in *.ts; do wc -l "$f"; done',
  "find . -name '*.ts' -exec grep -l x {} +",
  'git log --oneline -- "$f"',
  'git diff --cached -- "$f"',
  'git log -1 --format=%h -- "$f"',
  'git log --since="$d"',
  'git -C "$dir" log',
  'npm test -- --testPathPattern="$p"',
  'tar --directory="$d" -cf a.tar .',
  "node test/$f.js --all",
  "node --test --test-reporter=spec test/a.test.ts",
  "node --max_old_space_size=4096 a.js -e b",
  "sed -n 's/[a-z]*/x/p' a",
  "awk -F , '{print $1}' a",
  "cat <<'E' > /dev/null\n(\nE",
  "wget -Pdeps https://a.b/c",
  "gcc -fuse-ld=lld -o a a.c",
  'curl -s "$URL"',
  "xargs -I{} -P4 grep -l x {} < a",
  "git diff --name-only | xargs grep -l x",
];

const PROGRAMS =
  "[ awk bash cat cd declare dotnet echo env eval export fd find gtimeout gxargs ls make mvn node npm perl printf pylint python3 sed set sort split sqlite3 tar test xargs";

function checkNone(name: string, set: readonly PermissionRule[]): void {
  describe(name, () => {
    for (const line of [...IN_THE_SHELL, ...BY_OTHERS])
      test(JSON.stringify(line), () => assert.notEqual(verdictOf(set, line), "allow"));
  });
}

checkNone("rules that allow programs do not allow what those can be made to run", [
  ...rules("bash", "allow", ...PROGRAMS.split(" ").map((name) => `${name} *`)),
  ...rules("bash", "allow", "git *", "go build *", "go env *", "npm test *", "make build *"),
]);

describe("rules that allow programs which copy or compile do not allow what those can be made to run", () => {
  const names = new Set(BY_COPIERS.map((line) => line.split(" ", 1)[0]));
  const set = rules("bash", "allow", ...[...names].map((name) => `${name} *`));
  for (const line of BY_COPIERS) test(line, () => assert.notEqual(verdictOf(set, line), "allow"));
  for (const line of [
    "scp -P 22 a h:b",
    "gcc -O2 -o a a.c",
    "g++ -Wall a.cc",
    "zip -r9 x.zip a",
    "wget -q https://a.b/c",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

describe("rules that allow programs allow their lines of everyday", () => {
  const names = `${PROGRAMS} cc curl gcc git grep wc wget`.split(" ");
  const set = rules("bash", "allow", ...names.map((name) => `${name} *`));
  for (const line of EVERYDAY) test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

checkNone("a denial is not passed by a program that runs another", [
  ...rules("bash", "allow", "*"),
  ...rules("bash", "deny", "touch *", "git push *"),
]);

describe("a denial is not passed by a program that starts others in surroundings of its own", () => {
  const set = [...rules("bash", "allow", "*"), ...rules("bash", "deny", "touch *")];
  for (const name of [
    "linux64",
    "x86_64",
    "pyenv exec",
    "rustup run stable",
    "conda run -n a",
    "cross-env A=1",
    "dotenv --",
  ])
    test(name, () => assert.notEqual(verdictOf(set, `${name} touch x`), "allow"));
  for (const line of ["nx run app:build", "conda list", "cross-env CI=1 jest", "yarn workspace a test"])
    test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

describe("managers of packages run programs, and a denial binds those", () => {
  const set = [...rules("bash", "allow", "pnpm *", "yarn *", "bun *"), ...rules("bash", "deny", "touch *")];
  for (const line of ["pnpm touch x", "yarn touch x", "yarn run touch x", "bun run touch x", "pnpm exec touch x"])
    test(line, () => assert.notEqual(verdictOf(set, line), "allow"));
  for (const line of ["pnpm bash <<'E'\ntouch x\nE", "pnpm sh -s < a", "yarn env touch x", "pnpm node < a"])
    test(`${line}, whatever is denied`, () => {
      assert.notEqual(verdictOf(set, line), "allow");
      assert.notEqual(verdictOf(rules("bash", "allow", "pnpm *", "yarn *"), line), "allow");
    });
  for (const line of [
    "pnpm install",
    "pnpm test",
    "yarn",
    "yarn build",
    "pnpm watch",
    "bun run build",
    "bun test a.ts",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

describe("options before the word that says what is done hide no denial", () => {
  const set = [...rules("bash", "allow", "*"), ...rules("bash", "deny", "git push *", "kubectl delete *")];
  for (const line of [
    "git -C . push",
    "git --no-pager push",
    "git -P -C . push origin",
    "git --git-dir=a --work-tree b push",
    "kubectl --context prod delete pod a",
    "/usr/bin/git -C . push",
    "git -P -P -P -P -P push",
    "git -C . -C . -C . push",
    "git --no-pager --bare -p -P --literal-pathspecs --git-dir=a -C . push origin",
    "kubectl --v 1 --v 2 --v 3 delete pod a",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "deny"));
  test("a denied word behind very many options is in doubt", () => {
    assert.equal(verdictOf(set, `git ${"-P ".repeat(3_000)}push`), "ask");
    assert.equal(verdictOf(set, `git ${"-C . ".repeat(3_000)}push`), "ask");
    assert.equal(verdictOf(set, `ls ${"-a ".repeat(3_000)}push`), "allow");
  });
  test("a word behind a command's own options is none of its names", () => {
    for (const line of ["git --no-pager log --grep push", "git -P log --oneline --author push"])
      assert.equal(verdictOf(set, line), "allow", line);
  });
});

test("a change of the directory in a loop is seen however it is written", () => {
  const set = [...rules("bash", "allow", "echo *", "cd *", "true", "bash *"), ...rules("edit", "allow", "build/*")];
  for (const cd of ["cd", "c''d", "c\\d", '"cd"']) {
    const line = `while true; do echo > build/a; ${cd} ..; done`;
    assert.equal(verdictOf(set, line), "ask", line);
    assert.equal(
      verdictOf(set, `bash -c "whi"'le true; do echo > build/a; ${cd.replaceAll("'", "")} ..; done'`),
      "ask",
    );
  }
  assert.equal(verdictOf(set, "echo > build/a; cd .."), "allow");
});

describe("a file that the shell writes is not hidden by where its path begins", () => {
  const set = [
    ...rules("bash", "allow", "echo *", "cd *", "cat *"),
    ...rules("edit", "allow", "*"),
    ...rules("edit", "deny", ".env"),
    ...rules("read", "deny", ".env"),
  ];
  for (const path of ["../.env", "./.env", "../sub/../.env", "x/../.env", "..//.env"])
    for (const line of [`cd sub && echo x > ${path}`, `cd sub && cat < ${path}`])
      test(line, () => assert.equal(verdictOf(set, line), "ask"));
  for (const path of ["$PWD/.env", "$X/../.env", "~/project/.env", '"$PWD"/./.env', "s$X/../.env", "{.,}/.env"])
    test(path, () => assert.equal(verdictOf(set, `echo x > ${path}`), "ask"));
  for (const path of ["project/.env", "other/../project/.env", "linked/.env", "$X/project/.env", "../project/./.env"])
    for (const line of [`cd .. && echo x > ${path}`, `cd .. && cat < ${path}`, `(cd /; cat >> ${path})`])
      test(line, () => assert.equal(verdictOf(set, line), "ask"));
  test("a rule that names a directory is held against the end of a path behind a cd", () => {
    const secret = [...set, ...rules("edit", "deny", "conf/key", "./a/b/c")];
    for (const path of ["project/conf/key", "conf/key", "key", "x/project/a/b/c"])
      assert.equal(verdictOf(secret, `cd .. && echo x > ${path}`), "ask", path);
    for (const path of ["project/conf/keys", "monkey", "b/d"])
      assert.equal(verdictOf(secret, `cd .. && echo x > ${path}`), "allow", path);
  });
  test("a variable may lead out of the directory that a rule allows", () => {
    const build = [...rules("bash", "allow", "echo *"), ...rules("edit", "allow", "build/*")];
    assert.equal(verdictOf(build, "for f in /../../.env; do echo x > build/a$f; done"), "ask");
  });
  test("a file that cannot be the denied one stays allowed", () => {
    assert.equal(verdictOf(set, "cd sub && echo x > ../a.txt"), "allow");
    assert.equal(verdictOf(set, "echo x > $PWD/out.txt"), "allow");
  });
});

describe("a file that is opened by the name of a process's file or directory may be any", () => {
  const set = [
    ...rules("bash", "allow", "*"),
    ...rules("edit", "allow", "*"),
    ...rules("edit", "deny", ".env"),
    ...rules("read", "deny", ".env"),
  ];
  for (const line of [
    "echo x > /proc/self/cwd/.env",
    "echo x > /proc/self/cwd/../project/.env",
    "echo x >> //proc/./$$/cwd/.env",
    "echo x > ../proc/self/cwd/.env",
    "cat < /proc/self/root/project/.env",
    "cat < /proc/thread-self/cwd/.env",
    "echo x 3< a > /dev/fd/3",
    "echo x 3< a > /proc/self/fd/3",
    "exec 3< a; cd /dev/fd && echo x > 3",
    "exec 3< a; cd /dev && echo x > fd/3",
    "echo x 3< a > $X/3",
    "echo x < a > /dev/stdin",
    "echo x 1< a > /dev/stdout",
    "{ echo x > /dev/stderr; } 2< a",
    "exec 1< a; echo x > /dev/stdout",
    "exec 1< a; cd /dev; echo x > stdout",
    "cat 3>> a < /dev/fd/3",
    "head >> a < /dev/stdout >&2",
    "cat 0>> a < /dev/stdin",
    "find . -fprint /proc/self/cwd/.env",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "ask"));
  for (const line of [
    "echo x > /dev/null",
    "cat < /dev/null",
    "cat < a > /dev/null 2>&1",
    "echo x > /dev/stdout",
    "echo x > /dev/stderr",
    "echo x > /dev/tty",
    "cat < /dev/tty",
    "head -c 9 < /dev/zero",
    "head -c 9 < /dev/urandom",
    "echo x > proc/a",
    "echo x > 3",
    "cd sub; echo x > /dev/stdout",
    "cd sub; echo x > a/3",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

test("a file that is opened for both is read and written", () => {
  const both = (action: string): PermissionRule[] => [
    ...rules("*", "allow", "*"),
    ...rules(action, "deny", ".env", "a<>b"),
  ];
  for (const action of ["read", "edit"]) {
    for (const line of ["cat <> .env", "cat 0<>.env", "cat 3<> ./.env <&3", "cat <> 'a<>b'", "eval 'cat <>.env'"])
      assert.equal(verdictOf(both(action), line), "deny", `${action}: ${line}`);
    for (const line of ["cat <> $X", "cd sub; cat <> ../.env"])
      assert.equal(verdictOf(both(action), line), "ask", `${action}: ${line}`);
    for (const line of ["cat <> a", "echo '<>' > a", "cat > a <<'E'\n<></>\nE"])
      assert.equal(verdictOf(both(action), line), "allow", `${action}: ${line}`);
  }
  assert.equal(verdictOf(both("read"), "echo '<>' > .env"), "allow");
});

test("a file behind an exclamation mark is one that some shells write", () => {
  const set = [...rules("bash", "allow", "echo *"), ...rules("edit", "allow", "*"), ...rules("edit", "deny", ".env")];
  for (const line of ["echo x >!.env", "echo x >! .env", "echo x >>!.env"]) assert.equal(verdictOf(set, line), "ask");
  assert.equal(verdictOf(set, "echo x > '!a'"), "allow");
});

describe("everyday lines stay allowed beside a denial", () => {
  const set = [...rules("bash", "allow", "*"), ...rules("bash", "deny", "touch *", "git push *")];
  for (const line of [
    "python3 -m pytest -q",
    "python3 script.py -m 5",
    "node script.js 5",
    "node --version",
    "npm test -- --watch",
    "npm --version",
    "npm run build",
    "DEBUG=1 npm test",
    "X=$(date); echo $X",
    "make build",
    "git -C sub status",
    "go test ./...",
    "go get -u ./...",
    "printf '%s\\n' a",
    "for f in a b; do cd $f; ls; cd ..; done",
    "mvn test -Dtest=A",
    "perl a.pl",
    "export DEBUG=1; ls",
  ])
    test(line, () => assert.equal(verdictOf(set, line), "allow"));
});

describe("a denial of files is not passed by what cannot be looked through", () => {
  const everything = rules("bash", "allow", "*");
  const sets = [
    [...everything, ...rules("edit", "allow", "*"), ...rules("edit", "deny", ".env")],
    [...everything, ...rules("read", "deny", ".env")],
    [...everything, ...rules("edit", "deny", "*")],
  ];
  for (const line of [
    "eval $'echo x > .env'",
    "bash <<'E'\necho x > .env\nE",
    "echo 'echo x > .env' | sh",
    "env -C src sh -c 'echo > .env'",
    "git log --output=.env",
    "git unknown",
    "$X y",
    ". ./a",
    "python3 -c 'x'",
    "PAGER='cat > .env' git log",
    "npx sh <<'E'\necho x > .env\nE",
    "pnpm sh <<'E'\necho x > .env\nE",
  ])
    for (const set of sets) test(JSON.stringify(line), () => assert.equal(verdictOf(set, line), "ask"));
  for (const line of [
    "git status && git diff | head",
    "npm test -- --watch",
    "npm install && npm run build",
    "npx tsc --noEmit",
    "npx vitest run a",
    "pnpm test",
    "yarn build",
    "python3 -m pytest -q",
    "node script.js",
    "cat a | sort | uniq -c",
    "sed -n 1,5p a",
    "find . -name '*.ts' -exec grep x {} +",
    "X=$(date); echo $X",
    "for f in a b; do wc -l $f; done",
    "bash scripts/check.sh",
    "bash -c 'ls && pwd'",
    "curl -s x | tar xz",
  ])
    for (const set of sets) test(line, () => assert.equal(verdictOf(set, line), "allow"));
  test("rules that deny no file by its name leave it allowed", () => {
    for (const more of [rules("read", "deny", "*"), rules("edit", "ask", "*"), rules("edit", "allow", "a")])
      assert.equal(verdictOf([...everything, ...more], "python3 -c 'x'"), "allow");
  });
});

test("an always for a build does not allow what further goals and options could run", () => {
  for (const line of ["mvn test", "dotnet build", "gradle test", "go env -w CC=a"])
    assert.deepEqual(offeredPatterns(line, "/project"), [line]);
});
