// A worker in a task that takes for ever: it hears nothing more.
import { writeSync } from 'node:fs';

process.on('message', () => {
  writeSync(1, `${process.pid}\n`);
  for (;;);
});
