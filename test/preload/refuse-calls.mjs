// Replaces every function of the package that REFUSED_PACKAGE names by one that throws: a product that only imports it goes on.
import { register } from 'node:module';
import process from 'node:process';

const name = process.env['REFUSED_PACKAGE'];
const names = Object.keys(await import(name)).filter((each) => each !== 'default' && each !== 'module.exports');
const stub = `const refuse = () => { throw new Error(${JSON.stringify(`${name} is called`)}); };
export default new Proxy(function () {}, { apply: refuse, construct: refuse, get: refuse });
${names.map((each) => `export const ${each} = refuse;`).join('\n')}`;
const hooks = `export const resolve = (specifier, context, next) => specifier === ${JSON.stringify(name)}
  ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(stub)}`)}, shortCircuit: true }
  : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
