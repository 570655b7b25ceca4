import { mount } from 'svelte';
import '../theme.css';
import { config } from './places';
import Page from './Page.svelte';

const target = document.getElementById('app');
if (target) mount(Page, { target, props: { config: await config() } });
