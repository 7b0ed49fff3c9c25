import { describe, expect, it } from 'vitest';
import { lastAllowedProcessor } from '../../src/demo/demo-server.js';
import { freeDomain, freePorts } from '../../src/demo/free-ports.js';
import { parseServerLoad } from '../../src/demo/server-metrics.js';

describe('lastAllowedProcessor', () => {
  it.each([
    ['0', 0],
    ['0-3', 3],
    ['0,2-3,8', 8],
    ['4-7,12', 12],
  ])('of %s is %d', (list, last) => {
    expect(lastAllowedProcessor(`Name:\tnode\nCpus_allowed_list:\t${list}\nMems_allowed_list:\t0\n`)).toBe(last);
  });

  it('is unknown where the kernel does not tell', () => {
    expect(lastAllowedProcessor('Name:\tnode\n')).toBeUndefined();
  });
});

describe('parseServerLoad', () => {
  const page = `# HELP nv_inference_request_success Number of successful inference requests
nv_inference_request_success{model="centerface",version="1"} 40
nv_inference_request_success{model="ppocr_det",version="1"} 7
nv_inference_request_failure{model="centerface",reason="OTHER",version="1"} 2
nv_inference_request_failure{model="ppocr_det",reason="BACKEND",version="1"} 1
nv_inference_pending_request_count{model="centerface",version="1"} 3
nv_inference_pending_request_count{model="ppocr_det",version="1"} 0
`;

  it('adds up all models', () => {
    expect(parseServerLoad(page)).toEqual({ pending: 3, ended: 50 });
  });

  it('refuses a page that does not tell: nobody may take silence for idleness', () => {
    expect(() => parseServerLoad('')).toThrow(/nv_inference_pending_request_count/);
    expect(() => parseServerLoad(page.replace(' 3\n', ' x\n'))).toThrow(/nv_inference_pending_request_count/);
  });
});

describe('free places', () => {
  it('gives ports that differ and a domain that Linux can use', async () => {
    expect(new Set(await freePorts(3)).size).toBe(3);
    const domain = await freeDomain();
    expect(domain >= 1 && domain <= 101).toBe(true);
  });
});
