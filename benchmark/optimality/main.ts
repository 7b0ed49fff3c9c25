/** `npm run gap [-- SEEDS]`: how near the policies come to the best schedule of small instances, as a table. */
import { sectionText } from '../report.js';
import { KEPT_SEEDS, optimalitySection } from './section.js';

const [text = String(KEPT_SEEDS)] = process.argv.slice(2);
const seeds = Number(text);
if (!Number.isInteger(seeds) || seeds < 1 || seeds > 10_000) {
  process.stderr.write(`npm run gap: "${text}" seeds; expected a whole number from 1 to 10000\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${sectionText(optimalitySection(seeds))}\n`);
}
