// Runs the program twice: with a host that gives a clock and random numbers, and with one that gives none.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
for (const gives of [1, 0]) {
  const line = [];
  const asked = () => {
    if (!gives) throw new Error("this host gives nothing, and was asked");
  };
  const host = {
    gives: () => gives,
    unix_ms: () => (asked(), Date.now()),
    uptime_ms: () => (asked(), performance.now()),
    random_byte: () => (asked(), crypto.getRandomValues(new Uint8Array(1))[0]),
    say: (byte) => {
      if (byte !== 10) return line.push(byte);
      console.log(Buffer.from(line.splice(0)).toString());
    },
  };
  const others = WebAssembly.Module.imports(module).filter(({ module }) => module !== "host");
  if (others.length) throw new Error(`it imports ${JSON.stringify(others)}`);
  new WebAssembly.Instance(module, { host }).exports.main(0, 0);
}
