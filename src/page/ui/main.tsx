import { render } from 'preact';
import { ListPage } from './list-page.tsx';

const root = document.getElementById('page');
if (root !== null) render(<ListPage />, root);
