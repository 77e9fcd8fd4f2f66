import { render } from 'preact';
import { redeemLink } from './api/sign-in-link.ts';
import { followLinks } from './parts/location.ts';
import { applyTheme } from './parts/theme.ts';
import { Shell } from './parts/shell.tsx';
import './styles/tokens.css';
import './styles/page.css';
import './styles/views.css';

applyTheme();
followLinks();
await redeemLink();

const page = document.getElementById('page');
if (page !== null) render(<Shell />, page);
