/** The bundle takes a style sheet for what it does; the compiler needs to know no more of it. */
declare module '*.css';
