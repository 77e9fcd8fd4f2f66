import { render } from 'preact';
import { followLinks } from './parts/location.ts';
import { applyTheme } from './parts/theme.ts';
import { Shell } from './parts/shell.tsx';
import './styles/tokens.css';
import './styles/page.css';
import './styles/views.css';

applyTheme();
followLinks();
const page = document.getElementById('page');
if (page !== null) render(<Shell />, page);
