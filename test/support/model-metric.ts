/** Value of a metric of one model, on the page of a reference server. @throws {Error} when it is not there */
export async function modelMetric(metricsPort: number, name: string, model: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = page.split('\n').find((text) => text.startsWith(`${name}{`) && text.includes(`model="${model}"`));
  if (line === undefined) throw new Error(`no metric ${name} of ${model}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}
