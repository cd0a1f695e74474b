import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { metrics } from '../../src/result/metrics/metrics.ts';
import { root } from '../support/command.ts';

test('the metric names completed by an editor equal those of the registry', () => {
  const file = join(root, 'src/scenario/metric-name.ts');
  const program = ts.createProgram([file], {
    noEmit: true,
    allowImportingTsExtensions: true,
    strict: true,
    module: ts.ModuleKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  const named = symbol && checker.getExportsOfModule(symbol).find(({ name }) => name === 'MetricName');
  const type = named && checker.getDeclaredTypeOfSymbol(named);
  const names =
    type?.isUnion() === true
      ? type.types.map((each) => (each.isStringLiteral() ? each.value : checker.typeToString(each)))
      : [];
  expect(names.sort()).toEqual(metrics.map(({ name }) => name).sort());
});
