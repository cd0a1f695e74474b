import { render } from 'preact';
import { LiveView } from './live-view.tsx';

const root = document.getElementById('page');
if (root !== null) render(<LiveView />, root);
