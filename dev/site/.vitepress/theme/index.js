// The fonts of the system: no font is loaded.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
