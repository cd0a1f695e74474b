import { render } from 'preact';
import type { Page } from '../report/page/page.ts';
import { PageView } from './page-view.tsx';

const data = document.getElementById('data');
const root = document.getElementById('page');
// Written by `assemblePage`, which made it from a checked document.
if (data !== null && root !== null) render(<PageView page={JSON.parse(data.textContent) as Page} />, root);
